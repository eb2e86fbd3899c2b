-- One row: a message and a query whose keys all hold in it, in its slots or at the end of its chain.
select event_id, query_id from chain_end
union all
select event_id, query_id from unroll_slots where final
