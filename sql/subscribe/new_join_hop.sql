-- One row: a step of a new correlation from a joined node to a node that its output mentions.
select distinct c.correlation_id, c.place, c.from_at, c.upward, c.block, c.var1, c.var2
from compiled_join_hop as c
semi join new_correlation_id as n on n.correlation_id = c.correlation_id and n.row_no = c.row_no
anti join join_hop as s on s.correlation_id = c.correlation_id
