-- One row: two nodes in a slice that stays in memory.
-- Slices hold kept messages only; beyond the limit of rows, the slices of the values used least recently go (LRU).
select h.value, h.docid, h.var1, h.var2, h.node1, h.node2
from slice_held as h
semi join message_to_keep as k on k.docid = h.docid
semi join (
  select value, sum(amount) over (order by used desc, value rows between unbounded preceding and current row) as total
  from (
    select h.value, max(h.docid) as used, count(k.docid) as amount
    from slice_held as h
    left join message_to_keep as k on k.docid = h.docid
    group by h.value
    having count(k.docid) <= $bound
  ) as v
) as s on s.value = h.value and s.total <= $bound
