-- One row: a condition on a step of a new transformation.
select distinct c.transformation_id, c.step, c.query_id, c.looks_at, c.negated
from compiled_condition as c
semi join new_transformation_id as n on n.transformation_id = c.transformation_id and n.row_no = c.row_no
anti join transformation_condition as s
  on s.transformation_id = c.transformation_id and s.step = c.step and s.query_id = c.query_id and s.looks_at = c.looks_at and s.negated = c.negated
