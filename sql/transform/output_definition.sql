-- One row: an output template of transformations, with its definition.
select template_id, definition from output_template
union all
select t.transformation_id as template_id, t.definition
from transformation as t
anti join transformation_template as m on m.transformation_id = t.transformation_id
