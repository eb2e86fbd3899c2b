-- One row: a key and the key that represents its class: the same predicate on linear paths of one class.
-- All keys of a class hold together. A pair key represents itself.
select k.key, min(k.key) over (partition by p.class_id, k.op, k.value, k.number) as class_key
from predicate_key as k
join path_class as p on p.linear_path_id = k.linear_path_id
union all
select key, key as class_key from predicate_pair
