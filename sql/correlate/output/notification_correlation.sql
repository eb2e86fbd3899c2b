-- One row: a notification of a correlation, for a visible subscription.
select o.message_id, s.subscription_id, o.output
from correlation_output as o
join subscription_correlation as s on s.correlation_id = o.correlation_id
join completed_call as c on c.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
