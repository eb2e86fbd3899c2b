-- One row: an edge of a new correlation's patterns.
select distinct c.correlation_id, c.stream, c.var1, c.var2, c.linear_path_id, c.brinfo_id
from compiled_join_edge as c
semi join new_correlation_id as n on n.correlation_id = c.correlation_id and n.row_no = c.row_no
anti join join_edge as s on s.correlation_id = c.correlation_id
