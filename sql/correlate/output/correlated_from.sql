-- One row: a message that is kept or of the batch, with its time.
select docid, message_id, time from message_time
union
select docid, message_id, time from rdoc_ts_w
