-- One row: a correlation, messages that fulfil it, and the nodes that its output mentions, with their messages.
select distinct o.correlation_id, o.docs, o.last, o.time,
  list_transform(m.blocks, lambda b: list_extract(o.docs, b)) as owners,
  list_transform(m.mentioned, lambda p: list_extract(o.nodes, p)) as nodes
from rout as o
join join_result as m on m.correlation_id = o.correlation_id
