-- One row: a message and the checks of subscriptions whose queries it matches; lxml decides which of them hold.
select a.event_id, list(a.check_id) as checks
from (
  select distinct m.event_id, k.check_id
  from matched as m
  join subscription_query as s on s.query_id = m.query_id
  join subscription_check as k on k.subscription_id = s.subscription_id and k.call_no = s.call_no
  join batch as b on b.stream = s.stream
  join completed_call as c on c.call_no = s.call_no
  semi join event as e on e.event_id = m.event_id
  anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
) as a
group by a.event_id
