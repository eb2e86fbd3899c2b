-- One row: a linear path in this call that is not stored yet.
select distinct n.linear_path, n.id, n.prefix, n.postfix, n.middle
from call_linear_path as n
anti join query_linear_path as s on s.id = n.id
