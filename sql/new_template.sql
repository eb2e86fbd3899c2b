-- One row: a template that is not stored yet.
select c.template_id, min(c.template) as definition
from compiled_transformation as c
anti join output_template as s on s.template_id = c.template_id
group by c.template_id
