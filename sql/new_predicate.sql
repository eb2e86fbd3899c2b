-- One row: an edge of a chain that is not stored yet.
select n.pre_id, n.linear_path_id, n.op, n.value, n.number, n.chain_id, n.final
from arranged_edge as n
anti join query_predicate as s
  on s.chain_id = n.chain_id and s.pre_id = n.pre_id and s.linear_path_id = n.linear_path_id and s.op = n.op
  and s.value is not distinct from n.value and s.number is not distinct from n.number
