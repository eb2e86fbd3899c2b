-- One row: a subscription whose query is found by a key.
select sub_id, subscription_id, call_no, stream
from access_subscription
where access = ?
