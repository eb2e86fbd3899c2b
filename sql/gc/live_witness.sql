-- One row: a kept witness for an edge of a live correlation.
select b.docid, b.var1, b.var2, b.node1, b.node2
from rbin as b
semi join (
  select e.var1, e.var2 from join_edge as e semi join live_correlation as l on l.correlation_id = e.correlation_id
) as w on w.var1 = b.var1 and w.var2 = b.var2
anti join gone_message as g on g.docid = b.docid
semi join rdoc_ts as d on d.docid = b.docid
