-- One row: a query of a requested subscription, in the notation of Figure 3.3.
select q.query
from subscription_query as s
semi join asked as a on a.subscription_id = s.subscription_id
join visible as v on v.subscription_id = s.subscription_id and v.call_no = s.call_no
join stored_query as q on q.query_id = s.query_id
order by q.query
