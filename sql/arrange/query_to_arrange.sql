-- One row: a query whose predicates have to be put in order.
select sub_id, predicates from new_query
