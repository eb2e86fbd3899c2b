"""Writes XML from rows: the message factory and its templates. Runs no SQL."""
