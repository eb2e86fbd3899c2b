-- One row: the number of keys in the store.
select count(*) as keys from predicate_key
