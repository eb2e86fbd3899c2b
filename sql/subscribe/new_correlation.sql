-- One row: a correlation that is not stored yet.
select c.cid, c.canonical as definition
from compiled_correlation as c
semi join new_cid as n on n.cid = c.cid and n.row_no = c.row_no
