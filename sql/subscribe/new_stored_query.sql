-- One row: a query of this call, as the store keeps it.
select query_id, query, checked, predicates from new_query
