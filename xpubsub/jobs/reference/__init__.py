"""Reference data: stores tables, and adds their columns to one message."""
