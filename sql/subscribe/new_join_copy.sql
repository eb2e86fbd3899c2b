-- One row: a path whose nodes a new correlation copies.
select distinct c.correlation_id, c.linear_path_id
from compiled_join_copy as c
semi join new_correlation_id as n on n.correlation_id = c.correlation_id and n.row_no = c.row_no
anti join join_copy as s on s.correlation_id = c.correlation_id
