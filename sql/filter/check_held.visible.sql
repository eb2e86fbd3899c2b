-- One row: a message and the checks of subscriptions whose queries it matches; the subscribers are visible ones.
select a.event_id, list(a.check_id) as checks
from (
  select distinct m.event_id, s.check_id
  from matched as m
  join subscriber as s on s.query_id = m.query_id
  join batch as b on b.stream = s.stream
  semi join event as e on e.event_id = m.event_id
  where s.check_id is not null
) as a
group by a.event_id
