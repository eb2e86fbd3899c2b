"""XQuery beyond copies of paths: programs for the message factory, and the queries that Saxon evaluates."""
