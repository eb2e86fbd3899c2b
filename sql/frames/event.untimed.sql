-- One row: a message of the batch; its time does not matter, as no correlation joins messages of its stream.
select event_id, message_id from event_read
