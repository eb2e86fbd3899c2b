-- One row: a message in which all predicates of a query hold, found in its slots or at the end of its chain.
select event_id, sub_id from chain_candidate
union all
select event_id, sub_id from unroll_slots where final
