-- One row: a well-formed message, the first with its id.
select s.event_id, s.message_id
from shredded as s
semi join arrival as a on a.event_id = s.event_id
where s.row_kind = 'event'
