-- One row: a check, as lxml reads it.
select check_id, expression, namespaces from query_check
