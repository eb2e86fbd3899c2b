-- One row: a branch of a query in this call that is not stored yet.
select b.query_id, b.branch, b.linear_path_id, b.brinfo_id, b.op, b.value, b.number, b.first_only, b.level,
  b.context, b.context_at, b.bit, b.inner_at, b.inner_points, b.inner_wants
from compiled_branch as b
semi join new_query as q on q.query_id = b.query_id and q.row_no = b.row_no
anti join query_branch as s on s.query_id = b.query_id and s.branch = b.branch
