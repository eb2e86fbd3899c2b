-- One row: a node bound by a step, below the node that an earlier step bound.
select b.event_id, s.transformation_id, s.step, s.block, s.last, s.outermost,
  case when s.hidden then b.nodes else list_concat(b.nodes, [t.node]) end as nodes, t.node
from bind_before as b
join transformation_step as s on s.transformation_id = b.transformation_id and s.$follows
join path_tuple as t on t.event_id = b.event_id and t.brinfo_id = s.brinfo_id
  and t.base = case s.base_at when 0 then 0 when -1 then b.node else list_extract(b.nodes, s.base_at) end
where s.depth = $depth and s.place = $place
