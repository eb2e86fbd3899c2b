-- One row: a query of which keys do not decide everything.
select query_id from query_text
union
select query_id from query_branchpoint
