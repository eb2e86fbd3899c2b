-- One row: a key and its predicate, not stored yet.
select distinct n.key, n.linear_path_id, n.op, n.value, n.number
from arranged_key as n
anti join predicate_key as s on s.key = n.key
