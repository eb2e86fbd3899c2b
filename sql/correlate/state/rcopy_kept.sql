-- One row: a copy of the batch to keep.
select docid, node, text, bare from rcopy_w
