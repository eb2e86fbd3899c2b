-- One row: a join template that is not stored yet.
select c.join_template_id as template_id, min(c.join_template) as definition
from compiled_correlation as c
anti join join_template as s on s.template_id = c.join_template_id
group by c.join_template_id
