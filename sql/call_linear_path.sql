-- One row: a linear path of this call, with how a subscription uses its nodes.
select distinct p.linear_path as linear_path, p.id as id, p.prefix as prefix, p.postfix as postfix,
  p.middle as middle, p.node_use as node_use
from compiled_new as c
cross join unnest(c.linear_paths) as u(p)
