-- One row: a predicate on text of one of the given queries.
select query_id, linear_path_id, op, value, number
from query_text
where query_id in ($queries)
