-- One row: a message and a query that it matches.
select c.event_id, c.query_id
from candidate as c
anti join query_branchpoint as q on q.query_id = c.query_id
union
select event_id, query_id from branch_match
