-- One row: a query with branches that must meet.
select query_id from query_branchpoint
