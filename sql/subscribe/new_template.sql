-- One row: an output template that is not stored yet.
select c.template_id, min(c.template) as definition
from (
  select template_id, template from compiled_transformation
  union all
  select template_id, template from compiled_correlation
) as c
anti join output_template as s on s.template_id = c.template_id
group by c.template_id
