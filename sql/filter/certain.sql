-- One row: a message and a query that it matches already, whatever follows.
select m.event_id, m.query_id
from matched as m
anti join revocable as r on r.query_id = m.query_id
