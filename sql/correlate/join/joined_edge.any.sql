-- One row: two nodes of a message bound to the variables of an edge, in the batch or kept.
select docid, var1, var2, node1, node2 from edge_any
