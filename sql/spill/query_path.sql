-- One row: a path that a matched query looks at, and whether it needs the values of its nodes.
select b.query_id, b.linear_path_id, b.op <> 'exists' as valued
from query_branch as b
semi join matched as m on m.query_id = b.query_id
union
select c.query_id, c.linear_path_id, c.op <> 'exists' as valued
from (
  select q.query_id, p.linear_path_id as linear_path_id, p.op as op
  from (
    select s.query_id, s.predicates
    from stored_query as s
    semi join matched as m on m.query_id = s.query_id
  ) as q
  cross join unnest(q.predicates) as u(p)
) as c
