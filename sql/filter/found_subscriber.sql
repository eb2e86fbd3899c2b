-- One row: a subscription whose query has one of the given lookup keys.
select lookup_key, query_id, subscription_id, call_no, stream
from lookup_subscription
where lookup_key in ($keys)
