-- One row: a reason why tuples of a new transformation may repeat.
select distinct c.transformation_id, c.block, c.linear_path_id, c.base
from compiled_repeat as c
semi join new_transformation_id as n on n.transformation_id = c.transformation_id and n.row_no = c.row_no
anti join block_repeat as s on s.transformation_id = c.transformation_id
