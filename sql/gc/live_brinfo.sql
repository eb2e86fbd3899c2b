-- One row: an annotated linear path that a live query, transformation or correlation uses.
select b.brinfo_id
from query_branch as b
semi join live_query as l on l.query_id = b.query_id
union
select s.brinfo_id
from transformation_step as s
semi join live_transformation as l on l.transformation_id = s.transformation_id
union
select r.brinfo_id
from template_return as r
semi join live_template as l on l.template_id = r.template_id
union
select e.brinfo_id
from join_edge as e
semi join live_correlation as l on l.correlation_id = e.correlation_id
union
select p.brinfo_id
from join_part as p
semi join live_template as l on l.template_id = p.template_id
where p.brinfo_id is not null
