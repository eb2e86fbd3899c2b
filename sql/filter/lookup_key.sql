-- One row: a lookup key of some query.
select distinct lookup_key from predicate_unroll
