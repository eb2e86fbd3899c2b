"""Shreds messages into rows (Arrow tables), in bounded memory. Runs no SQL."""
