-- One row: a message and a query that it matches; no query has branches to check.
select event_id, query_id from candidate
