-- One row: a subscription whose query is found by a key.
select query_id, subscription_id, call_no, stream
from lookup_subscription
where lookup_key = ?
