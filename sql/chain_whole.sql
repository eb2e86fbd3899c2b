-- One row: a message in which all predicates of a query hold; no query tests a text.
select event_id, chain_id as sub_id from chain_key where final
