-- One row: a message matches a query; no query has branches to check.
select event_id, query_id from candidate
