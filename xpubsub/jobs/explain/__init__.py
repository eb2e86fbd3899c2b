"""Explains why a message matches a subscription, or why it does not."""
