"""A subscription → the rows that the store keeps for it. Runs no SQL."""
