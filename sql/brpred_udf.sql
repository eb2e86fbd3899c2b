-- One row: a message and a query whose branches meet in the same nodes, decided by the BrPred function.
select g.event_id, g.sub_id
from (
  select event_id, sub_id,
    list(struct_pack(branch := branch, nodes := nodes, leaf := leaf, passes := passes)) as branch_rows
  from branch_row
  group by event_id, sub_id
) as g
join query_branchpoint as q on q.sub_id = g.sub_id
where brpred(q.shape, g.branch_rows)
