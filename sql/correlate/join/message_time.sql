-- One row: a message with its time, kept or (fresh) of the batch.
select docid, message_id, time, false as fresh from kept_message
union all
select docid, message_id, time, true as fresh from rdoc_ts_w
