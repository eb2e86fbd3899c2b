-- One row: a message and a subscription that it matches and that reads its stream; the subscribers are visible ones.
select $distinct e.message_id, s.subscription_id, $output
from matched as m
join event as e on e.event_id = m.event_id
join subscriber as s on s.query_id = m.query_id
join batch as b on b.stream = s.stream
$held
