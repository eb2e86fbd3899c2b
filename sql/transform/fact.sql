-- One row: a condition of transformations holds at a node of a message, or at 0 if it is about the message.
select t.event_id, c.query_id, t.node
from truth_1 as t
join condition_query as c on c.query_id = t.query_id and c.want = t.bits
where t.point = 1
union all
select event_id, query_id, node from message_fact
