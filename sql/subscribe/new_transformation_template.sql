-- One row: the template of a transformation that is not stored yet.
select c.tid, c.template_id
from compiled_transformation as c
semi join new_tid as n on n.tid = c.tid and n.row_no = c.row_no
anti join transformation_template as s on s.tid = c.tid
