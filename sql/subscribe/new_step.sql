-- One row: a step of a transformation that is not stored yet.
select c.tid, c.step, c.block, c.parent, c.after, c.depth, c.place, c.linear_path_id, c.brinfo_id, c.base_at, c.hidden,
  c.last, c.outermost, c.access
from compiled_step as c
semi join new_tid as n on n.tid = c.tid and n.row_no = c.row_no
anti join transformation_step as s on s.tid = c.tid and s.step = c.step
