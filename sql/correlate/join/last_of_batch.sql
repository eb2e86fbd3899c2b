-- One row: the highest number of a message of the batch.
select coalesce(max(docid), 0) as docid from rbin_w
