-- One row: a correlation of a visible subscription.
select distinct s.correlation_id
from subscription_correlation as s
semi join completed_call as c on c.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
