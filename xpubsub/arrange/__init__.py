"""Orders the predicates of queries: keys, chains, selectivity and buckets. Runs no SQL."""
