-- One row: a message in which all predicates of a query hold.
-- Second stage of the shared plan: from each chain of equalities and from the roots on through the other predicates.
with recursive walk as (
  select event_id, chain_id, final from chain_start
  union all
  select w.event_id, p.chain_id, p.final
  from walk as w
  join query_predicate as p on p.pre_id = w.chain_id
  semi join path_tuple as t
    on t.event_id = w.event_id and t.linear_path_id = p.linear_path_id
    and passes(t.value, t.number, p.op, p.value, p.number)
  where not w.final and p.op <> '='
)
select distinct event_id, chain_id as sub_id from walk where final
