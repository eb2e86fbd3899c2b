-- One row: a message id of the batch, and the first message that has it.
select message_id, min(event_id) as event_id
from shredded
where row_kind in ('event', 'rejected')
group by message_id
