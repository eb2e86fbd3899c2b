-- One row: two nodes of different messages with equal values: as before, or both kept and one reached by the batch.
select doc_left, var_left, node_left, doc_right, var_right, node_right from value_pair
union
select l.docid as doc_left, l.var2 as var_left, l.node2 as node_left,
  r.docid as doc_right, r.var2 as var_right, r.node2 as node_right
from (select v.* from far_value as v semi join reached_message as j on j.docid = v.docid) as l
join pair_far as p on p.var_left = l.var2
join far_value as r on r.var2 = p.var_right and r.value = l.value
where l.docid <> r.docid
union
select l.docid as doc_left, l.var2 as var_left, l.node2 as node_left,
  r.docid as doc_right, r.var2 as var_right, r.node2 as node_right
from (select v.* from far_value as v semi join reached_message as j on j.docid = v.docid) as r
join pair_far as p on p.var_right = r.var2
join far_value as l on l.var2 = p.var_left and l.value = r.value
where l.docid <> r.docid
