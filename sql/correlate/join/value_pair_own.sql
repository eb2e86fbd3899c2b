-- One row: two nodes of different messages with equal values, for the correlations in rt alone.
-- At least one message is in the batch, unless kept messages are joined with one another.
select distinct l.docid as doc_left, l.var2 as var_left, l.node2 as node_left,
  r.docid as doc_right, r.var2 as var_right, r.node2 as node_right
from (
  select distinct p.var_left, p.var_right
  from join_pair as p
  semi join rt as q on q.correlation_id = p.correlation_id
  where p.op = '='
) as p
join edge_any as l on l.var2 = p.var_left
join value_any as v on v.docid = l.docid and v.node = l.node2
join value_any as w on w.value = v.value and w.docid <> v.docid
join edge_any as r on r.docid = w.docid and r.node2 = w.node and r.var2 = p.var_right
where l.fresh or r.fresh or $kept
