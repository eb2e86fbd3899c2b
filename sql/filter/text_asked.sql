-- One row: a predicate on texts that is still to be tested in a message.
select k.event_id, q.sub_id, q.linear_path_id, q.op, q.value, q.number
from key_candidate as k
join query_text as q on q.sub_id = k.sub_id
