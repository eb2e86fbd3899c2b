-- One row: a message of the batch whose time is not rejected.
select e.event_id, e.message_id
from event_read as e
anti join untimely as u on u.event_id = e.event_id
