-- One row: a subscription whose query has the given lookup key.
select query_id, subscription_id, call_no, stream
from lookup_subscription
where lookup_key = ?
