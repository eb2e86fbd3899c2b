-- One row: a query whose match in the first part of a message the rest may revoke.
-- A branch of it must not hold at its branching point.
-- Of all other queries more nodes only ever make more true.
select distinct b.query_id
from query_branch as b
left join (
  select query_id, 0 as point, want from query_branchpoint
  union all
  select q.query_id, list_extract(q.inner_points, n.number) as point, list_extract(q.inner_wants, n.number) as want
  from query_branch as q
  cross join (values $numbers) as n(number)
  where n.number <= array_length(q.inner_points)
) as w on w.query_id = b.query_id and w.point = b.context
where (b.bit & coalesce(w.want, 0)) = 0
