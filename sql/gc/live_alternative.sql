-- One row: a query of a visible subscription; a subscription with `or` has several.
select t.subscription_id as row_no
from subscription_query as t
semi join visible as v on v.subscription_id = t.subscription_id and v.call_no = t.call_no
where t.stream is not null
