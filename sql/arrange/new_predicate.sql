-- One row: an edge of a chain that is not stored yet.
select n.*
from chain_edge as n
anti join query_predicate as s on s.chain_id = n.chain_id and s.pre_id = n.pre_id and s.key = n.key
