-- One row: a message of the batch with its docid (higher for later messages) and time.
-- A message without a time gets its time of arrival. Only messages whose id the caller gave (given_id) replace
-- others and are replaced.
select e.event_id, s.docid + row_number() over (order by e.event_id) as docid, b.stream, e.message_id,
  case when b.replaces then e.message_id end as given_id,
  coalesce(t.time, s.now + 0.000001 * row_number() over (order by e.event_id)) as time
from event as e
cross join batch as b
cross join batch_start as s
left join event_time as t on t.event_id = e.event_id
