-- One row: a tag path in the store, and all uses of the linear paths that it matches.
select t.tagpath, coalesce(bit_or(u.node_use), 0) as node_use
from tagpath_map as t
left join path_match as m on m.tagpath_id = t.tagpath_id
left join linear_path_use as u on u.linear_path_id = m.linear_path_id
group by t.tagpath
