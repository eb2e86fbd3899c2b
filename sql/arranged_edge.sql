-- One row: an edge of the chains of the queries being arranged; queries with equal beginnings share it.
select distinct e.pre_id as pre_id, e.linear_path_id as linear_path_id, e.op as op, e.value as value,
  e.number as number, e.chain_id as chain_id, e.final as final
from arranged as a
cross join unnest(a.edges) as u(e)
