"""Rows → XML: the message factory and its templates. Runs no SQL."""
