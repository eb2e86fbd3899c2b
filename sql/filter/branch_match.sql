-- One row: a message and a query whose branches meet in the same nodes, decided by SQL, level by level.
-- Where no branch holds at all, those that want none to hold are satisfied.
select c.event_id, c.sub_id
from candidate as c
join query_branchpoint as q on q.sub_id = c.sub_id
left join truth_0 as t on t.event_id = c.event_id and t.sub_id = c.sub_id
where coalesce(t.bits, 0) = q.want
