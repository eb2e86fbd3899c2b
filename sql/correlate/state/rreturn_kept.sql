-- One row: nodes of a returned path of the batch to keep.
select docid, brinfo_id, base, nodes from rreturn_w
