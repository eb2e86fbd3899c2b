-- One row: an edge of the chain that starts at one of the given roots: the id of a query, negated.
with recursive walk as (
  select pre_id as root, key, bound, chain_id, final from query_predicate where pre_id in ($roots)
  union all
  select w.root, p.key, p.bound, p.chain_id, p.final
  from walk as w
  join query_predicate as p on p.pre_id = w.chain_id
  where not w.final
)
select root, key, bound from walk
