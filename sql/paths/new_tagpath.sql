-- One row: a tag path that is not stored yet.
select distinct n.tagpath, n.inv_tagpath, n.tagpath_id
from tagpath_found as n
anti join tagpath_map as s on s.tagpath_id = n.tagpath_id
