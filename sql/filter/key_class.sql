-- One row: a key and the one that stands for it: keys of the same predicate on linear paths of one class hold together.
-- A key that stands for two others stands for itself.
select k.key, min(k.key) over (partition by p.class_id, k.op, k.value, k.number) as class_key
from predicate_key as k
join path_class as p on p.linear_path_id = k.linear_path_id
union all
select key, key as class_key from predicate_pair
