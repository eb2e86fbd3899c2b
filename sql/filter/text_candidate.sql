-- One row: a message in which all predicates of a query hold, those on texts included.
select k.event_id, k.query_id
from key_candidate as k
anti join text_failed as f on f.event_id = k.event_id and f.query_id = k.query_id
