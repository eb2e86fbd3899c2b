-- One row: a message rejected for its time: too far in the future, or too late.
-- Late means before the stream's clock, as it was when the message arrived, by more than the lateness.
select a.event_id, a.message_id, case when a.time > a.latest then 'future' else 'late' end as code, a.time, a.clock
from (
  select e.event_id, e.message_id, t.time, n.latest, n.lateness,
    greatest(n.clock, max(case when t.time <= n.latest then t.time end)
      over (order by e.event_id rows between unbounded preceding and 1 preceding)) as clock
  from event_read as e
  join event_time as t on t.event_id = e.event_id
  cross join stream_now as n
) as a
where a.time > a.latest or a.time < a.clock - a.lateness
