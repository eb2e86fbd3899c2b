-- One row: a branch of one of the given queries, and the query's shape for BrPred.
select b.query_id, p.shape, b.branch, b.brinfo_id, b.op, b.value, b.number
from query_branch as b
join query_branchpoint as p on p.query_id = b.query_id
where b.query_id in ($queries)
