-- One row: a message, a candidate query, and a predicate of the query to be tested on text.
select k.event_id, q.query_id, q.linear_path_id, q.op, q.value, q.number
from key_candidate as k
join query_text as q on q.query_id = k.query_id
