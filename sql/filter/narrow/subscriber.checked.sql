-- One row: a visible subscription of a candidate query, and its check, if it has one.
select s.query_id, s.subscription_id, s.stream, k.check_id
from subscription_query as s
semi join candidate as a on a.query_id = s.query_id
semi join completed_call as c on c.call_no = s.call_no
left join subscription_check as k on k.subscription_id = s.subscription_id and k.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
