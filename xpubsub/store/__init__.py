"""The store's tables: migrations, reading and writing subscriptions, garbage collection."""
