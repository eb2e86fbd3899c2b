"""Subscribes: reads rows, compiles them and stores them atomically."""
