-- One row: a message and a query whose keys all hold in it, found at the end of the query's chain.
select event_id, chain_id as query_id from chain_key where final
