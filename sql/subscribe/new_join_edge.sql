-- One row: an edge of a correlation that is not stored yet.
select distinct c.cid, c.stream, c.var1, c.var2, c.linear_path_id, c.brinfo_id
from compiled_join_edge as c
semi join new_cid as n on n.cid = c.cid and n.row_no = c.row_no
anti join join_edge as s on s.cid = c.cid
