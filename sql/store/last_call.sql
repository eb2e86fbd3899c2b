-- One row: the highest number of any call, complete or not; the next call takes the next number.
select coalesce(max(call_no), 0) as call_no
from (
  select call_no from completed_call
  union all
  select call_no from subscription
  union all
  select call_no from subscription_query
  union all
  select call_no from subscription_transformation
  union all
  select call_no from subscription_correlation
  union all
  select call_no from unsubscription
  union all
  select call_no from message_schema
  union all
  select call_no from reference_table
  union all
  select call_no from reference_value
) as c
