-- One row: a step of a new transformation.
select c.transformation_id, c.step, c.block, c.parent, c.after, c.depth, c.place, c.linear_path_id, c.brinfo_id, c.base_at, c.hidden,
  c.last, c.outermost, c.found_by
from compiled_step as c
semi join new_transformation_id as n on n.transformation_id = c.transformation_id and n.row_no = c.row_no
anti join transformation_step as s on s.transformation_id = c.transformation_id and s.step = c.step
