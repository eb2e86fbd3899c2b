-- One row: a query that fulfils a subscription of this call.
select f.call_no, n.subscription_id, f.stream, n.sub_id
from (
  select distinct c.subscription_id, q.sub_id as sub_id
  from compiled_new as c
  cross join unnest(c.queries) as u(q)
) as n
cross join call_form as f
