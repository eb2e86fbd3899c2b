-- One row: a query whose predicates must be put in order.
select query_id, predicates from new_query
