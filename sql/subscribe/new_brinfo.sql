-- One row: an annotated linear path in this call that is not stored yet.
select distinct n.linear_path, n.linear_path_id, n.brinfo, n.brinfo_id
from call_brinfo as n
anti join linear_path_brinfo as s on s.brinfo_id = n.brinfo_id
