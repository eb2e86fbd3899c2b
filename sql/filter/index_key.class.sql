-- One row: a key that represents its class, with its predicate on a linear path.
select k.linear_path_id, k.key, k.op, k.value, k.number
from predicate_key as k
semi join key_class as c on c.class_key = k.key
