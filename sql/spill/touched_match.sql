-- One row: a message and a query that it matches, unless what is missing of the message decides otherwise.
select distinct m.event_id, m.query_id
from matched as m
join spilled_root as r on r.event_id = m.event_id
join spill_touch as t on t.tagpath_id = r.tagpath_id
join query_path as p on p.query_id = m.query_id and p.linear_path_id = t.linear_path_id
where t.inside or p.valued
