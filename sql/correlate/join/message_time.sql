-- One row: a message and its time; fresh if it is in the batch, else kept.
select docid, message_id, time, false as fresh from kept_message
union all
select docid, message_id, time, true as fresh from rdoc_ts_w
