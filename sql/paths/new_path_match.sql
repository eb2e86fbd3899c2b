-- One row: a tag path and a linear path that it matches, not stored yet.
select distinct n.tagpath_id, n.linear_path_id
from path_matched as n
anti join path_match as s on s.tagpath_id = n.tagpath_id and s.linear_path_id = n.linear_path_id
where n.brinfo_id is null
