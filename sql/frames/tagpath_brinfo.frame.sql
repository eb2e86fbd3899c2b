-- One row: the position arrays of a tag path for an annotated linear path, by the store or by what this frame found.
select tagpath_id, brinfo_id, bp_position from tagpath_brinfo
union all
select n.tagpath_id, n.brinfo_id, n.bp_position
from path_matched as n
anti join tagpath_brinfo as s on s.tagpath_id = n.tagpath_id and s.brinfo_id = n.brinfo_id
where n.brinfo_id is not null
