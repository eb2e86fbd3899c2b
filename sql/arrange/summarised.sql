-- One row: how many summaries and queries the store has; queries without a summary have to be arranged anew.
select (select count(*) from query_summary) as summaries, (select count(*) from stored_query) as queries
