-- One row: a path whose nodes a new output template copies.
select distinct c.template_id, c.linear_path_id, c.brinfo_id
from compiled_return as c
anti join template_return as s on s.template_id = c.template_id and s.brinfo_id = c.brinfo_id
