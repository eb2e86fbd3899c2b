-- One row: a new transformation and its output template.
select c.transformation_id, c.template_id
from compiled_transformation as c
semi join new_transformation_id as n on n.transformation_id = c.transformation_id and n.row_no = c.row_no
anti join transformation_template as s on s.transformation_id = c.transformation_id
