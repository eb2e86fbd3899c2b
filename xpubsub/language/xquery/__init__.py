"""XQuery beyond copies of paths: expressions, which become programs for the message factory."""
