-- One row: a limit between buckets, for range predicates whose constants are many enough and have no buckets yet.
-- About twenty buckets with as many constants each (section 4.2); the ends are limits too.
select t.linear_path_id, t.op, t.bound
from (
  select c.linear_path_id, c.op, c.tile, min(c.number) as bound
  from (
    select n.linear_path_id, n.op, n.number, ntile(20) over (partition by n.linear_path_id, n.op order by n.number) as tile
    from (
      select distinct p.linear_path_id as linear_path_id, p.op as op, p.number as number
      from new_query as q
      cross join unnest(q.predicates) as u(p)
    ) as n
    where n.op in ('<', '<=', '>', '>=')
  ) as c
  group by c.linear_path_id, c.op, c.tile
  union all
  select p.linear_path_id as linear_path_id, p.op as op, 21 as tile, max(p.number) as bound
  from new_query as q
  cross join unnest(q.predicates) as u(p)
  where p.op in ('<', '<=', '>', '>=')
  group by p.linear_path_id, p.op
) as t
semi join (select linear_path_id, op from query_constant where constants >= 100) as m
  on m.linear_path_id = t.linear_path_id and m.op = t.op
anti join known_bucket as b on b.linear_path_id = t.linear_path_id and b.op = t.op
