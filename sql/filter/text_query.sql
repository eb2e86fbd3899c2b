-- One row: a query with a predicate on text.
select query_id from query_text
