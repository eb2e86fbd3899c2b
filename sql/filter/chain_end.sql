-- One row: a message in which the keys of all predicates of a query hold, found at the end of its chain.
select event_id, chain_id as query_id from chain_key where final
