-- One row: a message in which the keys of all predicates of a query hold, in its slots or at the end of its chain.
select event_id, query_id from chain_end
union all
select event_id, query_id from unroll_slots where final
