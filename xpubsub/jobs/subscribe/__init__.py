"""Subscribing: rows in, compiled and stored atomically."""
