-- One row: a node or path that a new output template copies.
select distinct c.template_id, c.place, c.linear_path_id, c.brinfo_id
from compiled_join_part as c
anti join join_part as s on s.template_id = c.template_id
