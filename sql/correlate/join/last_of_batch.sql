-- One row: the highest docid in the batch.
select coalesce(max(docid), 0) as docid from rbin_w
