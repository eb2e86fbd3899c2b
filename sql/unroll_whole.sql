-- One row: a message in which all predicates of a query hold; no query has more predicates than slots.
select distinct event_id, sub_id from unroll_slots
