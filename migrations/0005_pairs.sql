-- Queries without an equality are found by two ranges at once.

-- One row: a key that holds where two others do, each of a bucket of range predicates: what two ranges of a query ask for.
create table if not exists predicate_pair (key bigint, first_key bigint, second_key bigint);
