-- One row: a message in which the predicates in slots hold, those beyond to be found by walking a chain.
select event_id, chain_id, false as final from unroll_slots where not final
