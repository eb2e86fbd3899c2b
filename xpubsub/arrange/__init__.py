"""The order of predicates: keys, chains, selectivity and buckets. Runs no SQL."""
