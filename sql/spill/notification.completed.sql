-- One row: a complete message and a subscription that it matches, which could not be decided before.
select distinct e.message_id, s.subscription_id, $output,
  'whole' as part
from touched_match as m
join event as e on e.event_id = m.event_id
join subscription_query as s on s.query_id = m.query_id
join batch as b on b.stream = s.stream
join completed_call as c on c.call_no = s.call_no
join spilled_call as k on s.call_no <= k.call_no
$checks
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
anti join (
  select n.event_id, q.subscription_id
  from matched as n
  anti join touched_match as t on t.event_id = n.event_id and t.query_id = n.query_id
  join subscription_query as q on q.query_id = n.query_id
) as d on d.event_id = m.event_id and d.subscription_id = s.subscription_id
$held
