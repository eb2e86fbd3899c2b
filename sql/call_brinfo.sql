-- One row: an annotated linear path of this call.
select distinct b.linear_path as linear_path, b.linear_path_id as linear_path_id, b.brinfo as brinfo,
  b.brinfo_id as brinfo_id
from compiled_new as c
cross join unnest(c.brinfos) as u(b)
