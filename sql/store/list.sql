-- One row: a visible subscription, as the subscriber wrote it.
select v.subscription_id, v.kind, v.stream, v.dialect, v.namespaces, v.text, d.max_delay, w.call_no is null as partial
from visible as v
left join subscription_delay as d on d.subscription_id = v.subscription_id and d.call_no = v.call_no
left join subscription_whole as w on w.subscription_id = v.subscription_id and w.call_no = v.call_no
order by v.subscription_id
