-- One row: a message and a query whose slots hold in it; a chain has the query's other predicates.
select event_id, chain_id, false as final from unroll_slots where not final
