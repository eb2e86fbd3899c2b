-- One row: a message and a chain of equality predicates that holds in it, as far as it goes.
-- First stage of the shared plan: each probe finds at most one shared chain, however many subscriptions there are.
with recursive walk as (
  select k.event_id, p.chain_id, p.final
  from path_key as k
  join query_predicate as p
    on p.linear_path_id = k.linear_path_id
    and p.value is not distinct from k.value and p.number is not distinct from k.number
  join chain_root as r on r.chain_id = p.pre_id
  where p.op = '='
  union all
  select w.event_id, p.chain_id, p.final
  from walk as w
  join path_key as k on k.event_id = w.event_id
  join query_predicate as p
    on p.pre_id = w.chain_id and p.linear_path_id = k.linear_path_id
    and p.value is not distinct from k.value and p.number is not distinct from k.number
  where not w.final and p.op = '='
)
select event_id, chain_id, final from walk
