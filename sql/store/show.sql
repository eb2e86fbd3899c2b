-- One row: a requested subscription, as the subscriber wrote it.
select v.subscription_id, v.kind, v.stream, v.dialect, v.namespaces, v.text, d.max_delay, r.variables,
  w.call_no is null as partial, g.weights, coalesce(k.way, 'indexed') as way,
  c.candidates, c.seconds
from visible as v
semi join asked as a on a.subscription_id = v.subscription_id
left join subscription_delay as d on d.subscription_id = v.subscription_id and d.call_no = v.call_no
left join subscription_variables as r on r.subscription_id = v.subscription_id and r.call_no = v.call_no
left join subscription_weights as g on g.subscription_id = v.subscription_id and g.call_no = v.call_no
left join subscription_whole as w on w.subscription_id = v.subscription_id and w.call_no = v.call_no
left join subscription_check as k on k.subscription_id = v.subscription_id and k.call_no = v.call_no
left join (
  select check_id, cast(sum(candidates) as bigint) as candidates, sum(seconds) as seconds from check_cost group by check_id
) as c on c.check_id = k.check_id
