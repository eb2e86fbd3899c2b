-- One row: what a join has found, and one node more, up or down an edge from a node found before.
select o.cid, o.doc_left, o.doc_right, list_concat(o.nodes, [case when s.upward then e.node1 else e.node2 end]) as nodes
from $before as o
join join_step as s on s.cid = o.cid
join rlink as e on e.docid = case when s.is_right then o.doc_right else o.doc_left end
  and e.var1 = s.var1 and e.var2 = s.var2
  and list_extract(o.nodes, s.from_at) = case when s.upward then e.node2 else e.node1 end
where s.place = $place
union all
select o.cid, o.doc_left, o.doc_right, o.nodes
from $before as o
anti join (select cid from join_step where place = $place) as s on s.cid = o.cid
