"""Text → rows: subscriptions and messages become Arrow tables, in bounded memory. Runs no SQL."""
