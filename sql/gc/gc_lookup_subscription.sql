-- One row: a visible subscription, and the lookup key of its query.
select u.lookup_key, t.query_id, t.call_no, t.subscription_id, t.stream
from subscription_query as t
semi join visible as v on v.subscription_id = t.subscription_id and v.call_no = t.call_no
join unrolled as u on u.query_id = t.query_id
where t.stream is not null
order by u.lookup_key
