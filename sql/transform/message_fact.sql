-- One row: a message and a condition on the whole message that holds in it, as node 0.
select m.event_id, c.query_id, 0 as node
from matched as m
join condition_query as c on c.query_id = m.query_id
where c.want is null
