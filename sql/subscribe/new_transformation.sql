-- One row: a transformation of this call that is not stored yet, from the first row that brings it.
select c.tid, c.canonical as definition
from compiled_transformation as c
semi join new_tid as n on n.tid = c.tid and n.row_no = c.row_no
