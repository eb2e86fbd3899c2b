-- One row: a correlation that is not stored yet.
select c.correlation_id, c.canonical as definition
from compiled_correlation as c
semi join new_correlation_id as n on n.correlation_id = c.correlation_id and n.row_no = c.row_no
