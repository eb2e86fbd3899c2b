-- One row: a message matches a query.
select c.event_id, c.sub_id
from candidate as c
anti join query_branchpoint as q on q.sub_id = c.sub_id
union
select event_id, sub_id from branch_match
