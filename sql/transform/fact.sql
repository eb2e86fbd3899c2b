-- One row: a message, a condition and a node at which it holds; node 0 for a condition on the whole message.
select t.event_id, c.query_id, t.node
from truth_1 as t
join condition_query as c on c.query_id = t.query_id and c.want = t.bits
where t.point = 1
union all
select event_id, query_id, node from message_fact
