-- One row: a message and a query whose branches meet in the same nodes, decided by SQL, level by level.
select t.event_id, t.sub_id
from truth_0 as t
join query_branchpoint as q on q.sub_id = t.sub_id
where t.bits = q.want
