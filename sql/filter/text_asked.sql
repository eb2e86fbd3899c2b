-- One row: a predicate on texts that is still to be tested in a message.
select k.event_id, q.query_id, q.linear_path_id, q.op, q.value, q.number
from key_candidate as k
join query_text as q on q.query_id = k.query_id
