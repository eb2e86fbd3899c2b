-- One row: an output template of a live transformation or correlation.
select t.template_id
from transformation_template as t
semi join live_transformation as l on l.transformation_id = t.transformation_id
union
select o.template_id
from join_result as o
semi join live_correlation as l on l.correlation_id = o.correlation_id
