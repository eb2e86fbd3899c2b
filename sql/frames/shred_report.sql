-- One row: a message that was set aside, or a tag path that the store does not know.
select event_id, message_id, code, reason, line, "column", tagpath
from shredded
where row_kind in ('rejected', 'tagpath')
