-- One row: a message and a chain of predicates that holds in it, up to and including this edge.
with recursive walk as (
  select event_id, chain_id, final from chain_start
  union all
  select w.event_id, p.chain_id, p.final
  from walk as w
  join query_predicate as p on p.pre_id = w.chain_id
  $classes
  semi join key_held as h on h.event_id = w.event_id and h.key = $key and h.max_value > p.bound
  where not w.final and p.stage >= $first
)
select event_id, chain_id, final from walk
