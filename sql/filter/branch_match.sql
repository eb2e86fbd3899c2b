-- One row: a message and a query whose branches meet in the same nodes, as SQL decides, level by level.
-- A query that wants no branch to hold at the document (want = 0) also matches where no branch holds.
select c.event_id, c.query_id
from candidate as c
join query_branchpoint as q on q.query_id = c.query_id
left join truth_0 as t on t.event_id = c.event_id and t.query_id = c.query_id
where coalesce(t.bits, 0) = q.want
