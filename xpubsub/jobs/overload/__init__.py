"""Spills elements of messages to disk, and completes the messages later."""
