-- One row: a node of a message as it is copied into output.
select event_id, node_id, text, bare
from shredded
where row_kind = 'copy'
