-- One row: a visible subscription of a candidate query.
select s.query_id, s.subscription_id, s.stream
from subscription_query as s
semi join candidate as a on a.query_id = s.query_id
semi join completed_call as c on c.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
