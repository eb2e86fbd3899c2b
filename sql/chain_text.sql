-- One row: a message in which all predicates of a query hold, those on texts tested last.
with recursive walk as (
  select event_id, chain_id, final from chain_key
  union all
  select w.event_id, p.chain_id, p.final
  from walk as w
  join query_predicate as p on p.pre_id = w.chain_id
  semi join text_tuple as t
    on t.event_id = w.event_id and t.linear_path_id = p.linear_path_id
    and passes(t.value, t.number, p.op, p.value, p.number)
  where not w.final and p.stage = 3
)
select event_id, chain_id as sub_id from walk where final
