-- One row: why tuples of a transformation that is not stored yet may repeat.
select distinct c.tid, c.block, c.linear_path_id, c.base
from compiled_repeat as c
semi join new_tid as n on n.tid = c.tid and n.row_no = c.row_no
anti join block_repeat as s on s.tid = c.tid
