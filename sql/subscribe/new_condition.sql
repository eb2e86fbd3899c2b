-- One row: a condition on a step of a transformation that is not stored yet.
select distinct c.tid, c.step, c.sub_id, c.looks_at, c.negated
from compiled_condition as c
semi join new_tid as n on n.tid = c.tid and n.row_no = c.row_no
anti join transformation_condition as s
  on s.tid = c.tid and s.step = c.step and s.sub_id = c.sub_id and s.looks_at = c.looks_at and s.negated = c.negated
