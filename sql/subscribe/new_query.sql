-- One row: a query in this call that is not stored yet, from the first row that contains it.
select q.row_no, q.query_id, q.query, q.checked, q.predicates
from compiled_query as q
semi join (select query_id, min(row_no) as row_no from compiled_query group by query_id) as f
  on f.query_id = q.query_id and f.row_no = q.row_no
anti join stored_query as s on s.query_id = q.query_id
