-- One row: a linear path that a live query, transformation or correlation uses, and the annotated path or null.
select p.linear_path_id as linear_path_id, cast(null as bigint) as brinfo_id
from (
  select s.predicates from stored_query as s semi join live_query as l on l.query_id = s.query_id
) as q
cross join unnest(q.predicates) as u(p)
union
select b.linear_path_id, b.brinfo_id
from query_branch as b
semi join live_query as l on l.query_id = b.query_id
union
select s.linear_path_id, s.brinfo_id
from transformation_step as s
semi join live_transformation as l on l.transformation_id = s.transformation_id
union
select r.linear_path_id, r.brinfo_id
from template_return as r
semi join live_template as l on l.template_id = r.template_id
union
select e.linear_path_id, e.brinfo_id
from join_edge as e
semi join live_correlation as l on l.correlation_id = e.correlation_id
union
select c.linear_path_id, cast(null as bigint) as brinfo_id
from join_copy as c
semi join live_correlation as l on l.correlation_id = c.correlation_id
union
select p.linear_path_id, p.brinfo_id
from join_part as p
semi join live_template as l on l.template_id = p.template_id
