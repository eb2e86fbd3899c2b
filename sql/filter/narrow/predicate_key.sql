-- One row: a key that may hold in this batch: its constant occurs there, or, for other keys, a tag path of its path.
-- The linear paths of equalities are left to later steps, so that the join is by the constant alone.
select k.key, k.linear_path_id, k.op, k.value, k.number
from predicate_key as k
semi join value_asked as v on v.value = k.value
where k.op = '='
union all
select k.key, k.linear_path_id, k.op, k.value, k.number
from predicate_key as k
semi join value_asked as v on v.number = k.number
where k.op = '='
union all
select k.key, k.linear_path_id, k.op, k.value, k.number
from predicate_key as k
semi join path_match as m on m.linear_path_id = k.linear_path_id
where k.op <> '='
