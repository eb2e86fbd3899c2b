-- One row: a node bound by the first step of an outermost chain, found by a condition or by the step's path.
select n.event_id, n.transformation_id, n.step, n.block, n.last, n.outermost,
  case when n.hidden then cast([] as integer[]) else [n.node] end as nodes, n.node
from (
  select f.event_id, s.transformation_id, s.step, s.block, s.last, s.outermost, s.hidden, f.node
  from fact as f
  join transformation_step as s on s.found_by = f.query_id
  union all
  select t.event_id, s.transformation_id, s.step, s.block, s.last, s.outermost, s.hidden, t.node
  from path_tuple as t
  join transformation_step as s on s.brinfo_id = t.brinfo_id
  where s.depth = 1 and s.place = 1 and s.found_by is null and t.base = 0
) as n
