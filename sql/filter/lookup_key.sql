-- One row: the lookup key of a query.
select lookup_key from predicate_unroll
