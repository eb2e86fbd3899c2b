-- One row: a message and a chain of equality predicates that holds in it, up to and including this edge.
-- First stage of the shared plan: each probe finds at most one shared chain, however many subscriptions there are.
with recursive walk as (
  select h.event_id, p.chain_id, p.final
  from key_held as h
  join query_predicate as p on p.key = h.key
  join chain_root as r on r.chain_id = p.pre_id
  where p.stage = 1
  union all
  select w.event_id, p.chain_id, p.final
  from walk as w
  join key_held as h on h.event_id = w.event_id
  join query_predicate as p on p.pre_id = w.chain_id and p.key = h.key
  where not w.final and p.stage = 1
)
select event_id, chain_id, final from walk
