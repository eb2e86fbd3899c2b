-- One row: a correlation that is not stored yet, as one of a template.
select c.join_template_id as template_id, c.cid, c.vars, c.windows, c.followed, c.reach
from compiled_correlation as c
semi join new_cid as n on n.cid = c.cid and n.row_no = c.row_no
anti join join_member as s on s.cid = c.cid
