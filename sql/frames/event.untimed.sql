-- One row: a message of the batch; no correlation joins messages of its stream, so that its time does not matter.
select event_id, message_id from event_read
