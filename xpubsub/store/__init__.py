"""The store: migrations, subscriptions in and out, garbage collection. Knows tables, not XPath."""
