-- One row: a message and a query whose branches meet in the same nodes, decided by SQL, level by level.
-- Where no branch holds at all, those that want none to hold are satisfied.
select c.event_id, c.query_id
from candidate as c
join query_branchpoint as q on q.query_id = c.query_id
left join truth_0 as t on t.event_id = c.event_id and t.query_id = c.query_id
where coalesce(t.bits, 0) = q.want
