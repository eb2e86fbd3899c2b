-- One row: a message with its time, kept or of the batch.
select docid, message_id, time from rdoc_live
union all
select docid, message_id, time from rdoc_ts_w
