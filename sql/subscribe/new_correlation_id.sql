-- One row: the id of a correlation that is not stored yet, and the first row of the call that contains it.
select c.correlation_id, min(c.row_no) as row_no
from compiled_correlation as c
anti join correlation as s on s.correlation_id = c.correlation_id
group by c.correlation_id
