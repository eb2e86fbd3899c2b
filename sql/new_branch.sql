-- One row: a branch of a query of this call that is not stored yet.
select distinct n.*
from (
  select b.sub_id as sub_id, b.branch as branch, b.linear_path_id as linear_path_id, b.brinfo_id as brinfo_id,
    b.op as op, b.value as value, b.number as number, b.first_only as first_only, b.level as level,
    b.context as context, b.context_at as context_at, b.bit as bit, b.inner_at as inner_at,
    b.inner_points as inner_points, b.inner_wants as inner_wants
  from compiled_new as c
  cross join unnest(c.branches) as u(b)
) as n
anti join query_branch as s on s.sub_id = n.sub_id and s.branch = n.branch
