-- One row: a query of a visible subscription.
select distinct q.query_id
from subscription_query as q
semi join visible as v on v.subscription_id = q.subscription_id and v.call_no = q.call_no
