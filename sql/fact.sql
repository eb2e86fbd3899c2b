-- One row: a condition of transformations holds at a node of a message, or at 0 if it is about the message.
select t.event_id, c.sub_id, t.node
from truth_1 as t
join condition_query as c on c.sub_id = t.sub_id and c.want = t.bits
where t.point = 1
union all
select m.event_id, c.sub_id, 0 as node
from matched as m
join condition_query as c on c.sub_id = m.sub_id
where c.want is null
