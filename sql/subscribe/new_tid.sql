-- One row: the id of a transformation that is not stored yet, and the first row that brings it.
select c.tid, min(c.row_no) as row_no
from compiled_transformation as c
anti join transformation as s on s.tid = c.tid
group by c.tid
