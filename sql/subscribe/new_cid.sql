-- One row: the id of a correlation that is not stored yet, and the first row that brings it.
select c.cid, min(c.row_no) as row_no
from compiled_correlation as c
anti join correlation as s on s.cid = c.cid
group by c.cid
