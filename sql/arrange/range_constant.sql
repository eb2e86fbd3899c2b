-- One row: a number that a query without equalities compares a linear path with; negated for < and <=.
select distinct p.linear_path_id as linear_path_id, case when p.op in ('>', '>=') then '>' else '<' end as op,
  case when p.op in ('>', '>=') then p.number else -p.number end as number
from (
  select predicates from new_query where not list_contains(list_transform(predicates, lambda p: p.op), '=')
) as q
cross join unnest(q.predicates) as u(p)
where p.op in ('<', '<=', '>', '>=')
