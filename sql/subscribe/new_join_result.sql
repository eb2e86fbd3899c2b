-- One row: what the output of a correlation that is not stored yet is made of.
select c.cid, c.mentioned, c.blocks, c.template_id, c.publish
from compiled_correlation as c
semi join new_cid as n on n.cid = c.cid and n.row_no = c.row_no
anti join join_result as s on s.cid = c.cid
