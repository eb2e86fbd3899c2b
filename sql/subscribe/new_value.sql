-- One row: a path whose nodes' values a new output template reads.
select distinct c.template_id, c.linear_path_id, c.named
from compiled_value as c
anti join template_value as s
  on s.template_id = c.template_id and s.linear_path_id = c.linear_path_id and s.named = c.named
