-- One row: two nodes of different messages, at least one in the batch, each above a node with the same value.
-- There is one row for the two nodes, however many values they share.
select l.docid as doc_left, l.var2 as var_left, l.var1 as up_left, l.node1 as at_left,
  r.docid as doc_right, r.var2 as var_right, r.var1 as up_right, r.node1 as at_right
from (
  select docid, var1, var2, node1, value from rl
  union
  select docid, var1, var2, node1, value from rr
) as l
join pair_up as p on p.var_left = l.var2 and p.up_left = l.var1
join (select distinct docid, var1, var2, node1, value from rr) as r
  on r.var2 = p.var_right and r.var1 = p.up_right and r.value = l.value
where l.docid <> r.docid
union
select l.docid as doc_left, l.var2 as var_left, l.var1 as up_left, l.node1 as at_left,
  r.docid as doc_right, r.var2 as var_right, r.var1 as up_right, r.node1 as at_right
from (select distinct docid, var1, var2, node1, value from rr) as l
join pair_up as p on p.var_left = l.var2 and p.up_left = l.var1
join (select distinct docid, var1, var2, node1, value from rl) as r
  on r.var2 = p.var_right and r.var1 = p.up_right and r.value = l.value
