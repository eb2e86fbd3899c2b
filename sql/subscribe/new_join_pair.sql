-- One row: a comparison of a correlation that is not stored yet.
select distinct c.cid, c.op, c.var_left, c.var_right
from compiled_join_pair as c
semi join new_cid as n on n.cid = c.cid and n.row_no = c.row_no
anti join join_pair as s on s.cid = c.cid
