-- One row: a witness: two nodes of a message of the batch, bound to the variables of an edge.
select d.docid, t.event_id, t.var1, t.var2, t.node1, t.node2
from edge_tuple as t
join rdoc_ts_w as d on d.event_id = t.event_id
anti join variable_bad as p on p.event_id = t.event_id and p.var = t.var1 and p.node = t.node1
anti join variable_bad as q on q.event_id = t.event_id and q.var = t.var2 and q.node = t.node2
