-- One row: a new correlation, as a member of its join template.
select c.join_template_id as template_id, c.correlation_id, c.vars, c.windows, c.followed, c.reach
from compiled_correlation as c
semi join new_correlation_id as n on n.correlation_id = c.correlation_id and n.row_no = c.row_no
anti join join_member as s on s.correlation_id = c.correlation_id
