-- One row: the latest time in the batch.
select max(time) as time from rdoc_ts_w
