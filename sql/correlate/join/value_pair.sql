-- One row: two nodes of different messages, at least one in the batch, with equal values and compared variables (R_vj).
select l.docid as doc_left, l.var2 as var_left, l.node2 as node_left,
  r.docid as doc_right, r.var2 as var_right, r.node2 as node_right
from (
  select docid, var2, node2, value from rl
  union
  select docid, var2, node2, value from rr
) as l
join pair_plain as p on p.var_left = l.var2
join (select distinct docid, var2, node2, value from rr) as r on r.var2 = p.var_right and r.value = l.value
where l.docid <> r.docid
union all
select l.docid as doc_left, l.var2 as var_left, l.node2 as node_left,
  r.docid as doc_right, r.var2 as var_right, r.node2 as node_right
from (select distinct docid, var2, node2, value from rr) as l
join pair_plain as p on p.var_left = l.var2
join (select distinct docid, var2, node2, value from rl) as r on r.var2 = p.var_right and r.value = l.value
