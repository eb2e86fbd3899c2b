-- One row: a query that is a condition of transformations, not known as such yet.
select distinct c.sub_id, c.want
from compiled_part as c
anti join condition_query as s on s.sub_id = c.sub_id
