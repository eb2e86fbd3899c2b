-- One row: a base in a message of the batch, a path and its nodes, to keep.
select docid, brinfo_id, base, nodes from rreturn_w
