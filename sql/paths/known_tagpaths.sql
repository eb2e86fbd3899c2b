-- One row: a tag path of the store, with the union of the uses of the linear paths that match it.
select t.tagpath, coalesce(bit_or(u.node_use), 0) as node_use
from tagpath_map as t
left join path_match as m on m.tagpath_id = t.tagpath_id
left join linear_path_use as u on u.linear_path_id = m.linear_path_id
group by t.tagpath
