-- One row: how many keys the store has.
select count(*) as keys from predicate_key
