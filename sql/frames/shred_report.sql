-- One row: a rejected message, or a tag path that is not in the store.
select event_id, message_id, code, reason, line, "column", tagpath
from shredded
where row_kind in ('rejected', 'tagpath')
