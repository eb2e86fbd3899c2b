-- One row: a query whose predicates have to be put in order.
select query_id, predicates from new_query
