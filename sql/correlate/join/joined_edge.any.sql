-- One row: two nodes of a message, kept or of the batch, bound to the variables of an edge.
select docid, var1, var2, node1, node2 from edge_any
