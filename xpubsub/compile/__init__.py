"""Compiles subscriptions to the rows that the store keeps. Runs no SQL."""
