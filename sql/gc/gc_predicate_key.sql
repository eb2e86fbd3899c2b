-- One row: a key and its predicate.
select distinct * from arranged_key
