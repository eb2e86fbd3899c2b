-- One row: an edge of a chain whose predicate holds in some message of the batch, by the key that represents its class.
select p.pre_id, p.stage, $key as key, p.bound, p.chain_id, p.final
from query_predicate as p
$classes
semi join (select key, max(max_value) as max_value from key_held group by key) as h
  on h.key = $key and h.max_value > p.bound
