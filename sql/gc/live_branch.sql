-- One row: a branch of a query to keep.
select t.level, t.inner_at
from query_branch as t
semi join live_query as l on l.query_id = t.query_id
