"""Warns about subscriptions that are accepted, but probably not what the subscriber means."""
