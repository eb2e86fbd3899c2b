-- One row: how many different constants this call compares a linear path with; many means each is rare.
select p.linear_path_id as linear_path_id, p.op as op, count(distinct coalesce(p.value, cast(p.number as varchar))) as constants
from new_query as q
cross join unnest(q.predicates) as u(p)
group by p.linear_path_id, p.op
