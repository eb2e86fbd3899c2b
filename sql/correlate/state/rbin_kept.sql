-- One row: a witness of the batch to keep.
select docid, var1, var2, node1, node2 from rbin_w
