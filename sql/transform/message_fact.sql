-- One row: a condition of transformations that is about the message holds in it: at node 0.
select m.event_id, c.sub_id, 0 as node
from matched as m
join condition_query as c on c.sub_id = m.sub_id
where c.want is null
