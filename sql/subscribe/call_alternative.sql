-- One row: a query of a subscription in this call; a subscription with `or` has several.
select q.row_no
from compiled_query as q
anti join compiled_part as p on p.row_no = q.row_no and p.query_id = q.query_id
