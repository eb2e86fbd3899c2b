-- One row: a correlation of a visible subscription.
select distinct t.correlation_id
from subscription_correlation as t
semi join visible as v on v.subscription_id = t.subscription_id and v.call_no = t.call_no
