-- One row: a query that is a condition of transformations, not known as such yet.
select distinct c.query_id, c.want
from compiled_part as c
anti join condition_query as s on s.query_id = c.query_id
