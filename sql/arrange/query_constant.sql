-- One row: a linear path, and how many different constants this call compares it with, and how often.
-- The more constants, the rarer each is in messages.
select c.linear_path_id, c.op, count(distinct c.value) + count(distinct c.number) as constants, count(*) as uses
from (
  select p.linear_path_id as linear_path_id, p.op as op, p.value as value, p.number as number
  from new_query as q
  cross join unnest(q.predicates) as u(p)
) as c
group by c.linear_path_id, c.op
