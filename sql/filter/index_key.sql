-- One row: a key that nodes of a linear path can make hold.
select linear_path_id, key, op, value, number
from predicate_key
