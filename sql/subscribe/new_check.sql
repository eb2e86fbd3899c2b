-- One row: a check in this call that is not stored yet.
select distinct c.check_id, c.expression, c.namespaces
from compiled_check as c
semi join compiled_new as n on n.row_no = c.row_no
anti join query_check as s on s.check_id = c.check_id
