-- One row: a new query, as the store keeps it.
select query_id, query, checked, predicates from new_query
