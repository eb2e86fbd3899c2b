-- One row: a node of a message, serialised for copying into outputs.
select event_id, node_id, text, bare
from shredded
where row_kind = 'copy'
