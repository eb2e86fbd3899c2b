-- One row: a visible subscription that states the longest delay it accepts.
select d.subscription_id, d.max_delay
from subscription_delay as d
semi join visible as v on v.subscription_id = d.subscription_id and v.call_no = d.call_no
