-- One row: a key that nodes of a tag path can make hold.
select m.tagpath_id, k.key, k.op, k.value, k.number
from predicate_key as k
join path_match as m on m.linear_path_id = k.linear_path_id
