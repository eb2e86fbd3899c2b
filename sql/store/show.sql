-- One row: a requested subscription, as the subscriber wrote it.
select v.subscription_id, v.kind, v.stream, v.dialect, v.namespaces, v.text, d.max_delay, w.call_no is null as partial
from visible as v
semi join asked as a on a.subscription_id = v.subscription_id
left join subscription_delay as d on d.subscription_id = v.subscription_id and d.call_no = v.call_no
left join subscription_whole as w on w.subscription_id = v.subscription_id and w.call_no = v.call_no
