-- One row: a serialised node of the batch to keep.
select docid, node, text, bare from rcopy_w
