-- One row: a node bound by the first step of an outermost chain, found by the step's path.
select t.event_id, s.transformation_id, s.step, s.block, s.last, s.outermost,
  case when s.hidden then cast([] as integer[]) else [t.node] end as nodes, t.node
from path_tuple as t
join transformation_step as s on s.brinfo_id = t.brinfo_id
where s.depth = 1 and s.place = 1 and t.base = 0
