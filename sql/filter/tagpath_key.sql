-- One row: a tag path of this batch and a key that its nodes may satisfy.
-- Predicates are expanded to tag paths, not nodes to linear paths: there are far fewer predicates than nodes.
select m.tagpath_id, k.key, k.op, k.value, k.number
from predicate_key as k
join path_match as m on m.linear_path_id = k.linear_path_id
semi join batch_tagpath as b on b.tagpath_id = m.tagpath_id
