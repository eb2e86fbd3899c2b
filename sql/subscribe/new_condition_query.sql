-- One row: a query that serves as a condition and is not recorded as one yet.
select distinct c.query_id, c.want
from compiled_part as c
anti join condition_query as s on s.query_id = c.query_id
