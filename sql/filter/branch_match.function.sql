-- One row: a message and a query whose branches meet in the same nodes, as the BrPred function decides.
-- A query that wants no branch to hold at the document (want = 0) also matches where its branches reach no node.
select g.event_id, g.query_id
from (
  select event_id, query_id,
    list(struct_pack(branch := branch, nodes := nodes, leaf := leaf, passes := passes)) as branch_rows
  from (select distinct event_id, query_id, branch, nodes, leaf, passes from branch_row) as r
  group by event_id, query_id
) as g
join query_branchpoint as q on q.query_id = g.query_id
where brpred(q.shape, g.branch_rows)
union all
select c.event_id, c.query_id
from candidate as c
join query_branchpoint as q on q.query_id = c.query_id and q.want = 0
anti join branch_row as r on r.event_id = c.event_id and r.query_id = c.query_id
