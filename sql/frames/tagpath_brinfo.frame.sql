-- One row: a tag path, an annotated linear path and their position arrays, from the store or found in this frame.
select tagpath_id, brinfo_id, bp_position from tagpath_brinfo
union all
select n.tagpath_id, n.brinfo_id, n.bp_position
from path_matched as n
anti join tagpath_brinfo as s on s.tagpath_id = n.tagpath_id and s.brinfo_id = n.brinfo_id
where n.brinfo_id is not null
