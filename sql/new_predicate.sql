-- One row: an edge of a chain that is not stored yet; queries with equal beginnings share it.
select distinct n.pre_id, n.linear_path_id, n.op, n.value, n.number, n.chain_id, n.final
from (
  select e.pre_id as pre_id, e.linear_path_id as linear_path_id, e.op as op, e.value as value, e.number as number,
    e.chain_id as chain_id, e.final as final
  from arranged as a
  cross join unnest(a.edges) as u(e)
) as n
anti join query_predicate as s
  on s.chain_id = n.chain_id and s.pre_id = n.pre_id and s.linear_path_id = n.linear_path_id and s.op = n.op
  and s.value is not distinct from n.value and s.number is not distinct from n.number
