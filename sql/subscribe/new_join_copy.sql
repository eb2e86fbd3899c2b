-- One row: a path whose nodes a correlation that is not stored yet copies.
select distinct c.cid, c.linear_path_id
from compiled_join_copy as c
semi join new_cid as n on n.cid = c.cid and n.row_no = c.row_no
anti join join_copy as s on s.cid = c.cid
