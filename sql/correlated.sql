-- One row: two messages and the nodes of them that the output of a correlation mentions.
select distinct o.cid, o.doc_left, o.doc_right,
  list_transform(m.mentioned, lambda p: list_extract(o.nodes, p)) as nodes
from $before as o
join join_output as m on m.cid = o.cid
