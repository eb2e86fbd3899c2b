-- One row: an output template of correlations, with its definition.
select t.template_id, t.definition
from output_template as t
semi join join_result as o on o.template_id = t.template_id
