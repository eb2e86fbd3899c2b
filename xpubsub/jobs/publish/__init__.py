"""Publishes messages: shreds them, runs the plan, returns the notifications."""
