-- One row: a transformation that is not stored yet.
select c.transformation_id, c.canonical as definition
from compiled_transformation as c
semi join new_transformation_id as n on n.transformation_id = c.transformation_id and n.row_no = c.row_no
