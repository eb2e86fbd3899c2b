-- One row: a message and a query whose predicates all hold in it, including those on text.
select k.event_id, k.query_id
from key_candidate as k
anti join text_failed as f on f.event_id = k.event_id and f.query_id = k.query_id
