-- One row: a key by which some query is found.
select distinct lookup_key from predicate_unroll
