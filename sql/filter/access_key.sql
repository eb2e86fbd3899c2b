-- One row: a key by which some query is found.
select distinct access from predicate_unroll
