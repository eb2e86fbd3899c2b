-- One row: a node bound by a step at which all conditions of the step hold.
select b.event_id, b.transformation_id, b.step, b.block, b.last, b.outermost, b.nodes, b.node
from bind_bound as b
anti join bind_failed as f
  on f.event_id = b.event_id and f.transformation_id = b.transformation_id and f.step = b.step and f.nodes = b.nodes and f.node = b.node
