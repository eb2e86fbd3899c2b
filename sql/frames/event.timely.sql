-- One row: a message of the batch whose time is accepted.
select e.event_id, e.message_id
from event_read as e
anti join untimely as u on u.event_id = e.event_id
