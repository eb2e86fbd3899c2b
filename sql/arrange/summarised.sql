-- One row: how many summaries and queries the store has; queries without a summary must be arranged again.
select (select count(*) from query_summary) as summaries, (select count(*) from stored_query) as queries
