-- One row: a completed call that added a subscription or schema that is still visible.
select c.call_no, c.action, c.subscriptions
from completed_call as c
semi join (
  select call_no from visible
  union all
  select call_no from visible_schema
  union all
  select call_no from visible_reference
) as v on v.call_no = c.call_no
