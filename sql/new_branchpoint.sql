-- One row: a query of this call with branches to check that is not stored yet.
select distinct n.sub_id, n.branchpoint_info, n.shape, n.want
from (
  select b.sub_id as sub_id, b.branchpoint_info as branchpoint_info, b.shape as shape, b.want as want
  from compiled_new as c
  cross join unnest(c.branchpoints) as u(b)
) as n
anti join query_branchpoint as s on s.sub_id = n.sub_id
