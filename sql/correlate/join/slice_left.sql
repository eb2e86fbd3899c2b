-- One row: nodes of a slice that stays: of messages still kept, and of the values used last, up to a number of rows (LRU).
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
