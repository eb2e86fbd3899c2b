-- One row: an edge of the chains of arranged queries; edges that are not final are shared.
select n.pre_id, n.stage, n.key, n.bound, n.linear_path_id, n.op, n.value, n.number, n.chain_id, n.final
from arranged_edge as n
where n.final
union all
select n.pre_id, n.stage, n.key, n.bound, n.linear_path_id, n.op, n.value, n.number, n.chain_id, n.final
from (
  select pre_id, stage, key, bound, min(linear_path_id) as linear_path_id, min(op) as op, min(value) as value,
    min(number) as number, chain_id, final
  from arranged_edge
  where not final
  group by pre_id, stage, key, bound, chain_id, final
) as n
