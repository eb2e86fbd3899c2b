-- One row: a message, kept or in the batch, with its time.
select docid, message_id, time from message_time
union
select docid, message_id, time from rdoc_ts_w
