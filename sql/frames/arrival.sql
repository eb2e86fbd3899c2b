-- One row: a message id of the batch, with the message that came first.
select message_id, min(event_id) as event_id
from shredded
where row_kind in ('event', 'rejected')
group by message_id
