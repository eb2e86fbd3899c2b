-- One row: a key, with its predicate on a linear path.
select linear_path_id, key, op, value, number
from predicate_key
