-- One row: two nodes to add to a slice (algorithm 5): those of the batch, and for a new slice also the kept ones.
select r.value, r.docid, r.var1, r.var2, r.node1, r.node2
from rr as r
semi join (
  select value from slice_row
  union
  select value from rl
) as s on s.value = r.value
where length(r.value) <= $longest
union all
select l.value, l.docid, l.var1, l.var2, l.node1, l.node2
from rl as l
semi join value_missed as m on m.value = l.value
where length(l.value) <= $longest
