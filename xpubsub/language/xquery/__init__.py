"""XQuery beyond copies of paths: as programs for the message factory, or else as Saxon evaluates it."""
