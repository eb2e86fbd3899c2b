-- One row: a key, standing for its class, that nodes of a linear path can make hold.
select k.linear_path_id, k.key, k.op, k.value, k.number
from predicate_key as k
semi join key_class as c on c.class_key = k.key
