-- One row: a value of the batch to keep.
select docid, node, value, number from rdoc_w
