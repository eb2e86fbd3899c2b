-- One row: a message and a visible subscription that it matches, whatever is missing of the message.
select distinct e.message_id, s.subscription_id, $output,
  'whole' as part
from matched as m
anti join touched_match as t on t.event_id = m.event_id and t.query_id = m.query_id
join event as e on e.event_id = m.event_id
join subscription_query as s on s.query_id = m.query_id
join batch as b on b.stream = s.stream
join completed_call as c on c.call_no = s.call_no
$checks
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
$held
