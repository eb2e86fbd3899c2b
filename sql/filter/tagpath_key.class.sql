-- One row: a tag path of this batch and a key, representing its class, that its nodes may satisfy.
select m.tagpath_id, k.key, k.op, k.value, k.number
from predicate_key as k
semi join key_class as c on c.class_key = k.key
join path_match as m on m.linear_path_id = k.linear_path_id
semi join batch_tagpath as b on b.tagpath_id = m.tagpath_id
