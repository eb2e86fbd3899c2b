-- One row: a node of a message, for the tree search.
select r.event_id, p.tagpath, r.idpath, r.value, r.number
from sax_parse_result as r
join tagpath_map as p on p.tagpath_id = r.tagpath_id
