-- One row: a comparison in a new correlation.
select distinct c.correlation_id, c.op, c.var_left, c.var_right
from compiled_join_pair as c
semi join new_correlation_id as n on n.correlation_id = c.correlation_id and n.row_no = c.row_no
anti join join_pair as s on s.correlation_id = c.correlation_id
