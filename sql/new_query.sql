-- One row: a query of this call that is not stored yet.
select distinct n.sub_id, n.query, n.checked, n.predicates
from (
  select q.sub_id as sub_id, q.query as query, q.checked as checked, q.predicates as predicates
  from compiled_new as c
  cross join unnest(c.queries) as u(q)
) as n
anti join stored_query as s on s.sub_id = n.sub_id
