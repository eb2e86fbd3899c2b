-- One row: the greatest time of the batch.
select max(time) as time from rdoc_ts_w
