-- One row: a query to keep and to arrange again.
select t.*
from stored_query as t
semi join live_query as l on l.query_id = t.query_id
