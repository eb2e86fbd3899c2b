-- One row: a message and a visible subscription that it matches and that reads its stream; checks hold, where there are some.
select $distinct e.message_id, s.subscription_id, h.output, h.code, h.reason
from matched as m
join event as e on e.event_id = m.event_id
join subscription_query as s on s.query_id = m.query_id
join batch as b on b.stream = s.stream
join completed_call as c on c.call_no = s.call_no
left join subscription_check as k on k.subscription_id = s.subscription_id and k.call_no = s.call_no
left join check_held as h on h.event_id = m.event_id and h.check_id = k.check_id
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
where k.check_id is null or h.check_id is not null
