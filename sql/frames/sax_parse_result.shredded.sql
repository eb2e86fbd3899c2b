-- One row: a node of a message that some subscription needs.
select event_id, tagpath_id, node_id, idpath, value, number
from shredded
where row_kind = 'node'
