-- One row: a check of a visible subscription.
select distinct k.check_id
from subscription_check as k
semi join visible as v on v.subscription_id = k.subscription_id and v.call_no = k.call_no
