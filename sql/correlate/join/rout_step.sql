-- One row: a join result extended by one node, up or down an edge from a node that it already has.
select o.correlation_id, o.docs, o.last, o.time,
  list_concat(o.nodes, [case when s.upward then e.node1 else e.node2 end]) as nodes
from rout as o
join join_hop as s on s.correlation_id = o.correlation_id
join joined_edge as e on e.docid = list_extract(o.docs, s.block) and e.var1 = s.var1 and e.var2 = s.var2
  and list_extract(o.nodes, s.from_at) = case when s.upward then e.node2 else e.node1 end
where s.place = $place
union all
select o.correlation_id, o.docs, o.last, o.time, o.nodes
from rout as o
anti join (select correlation_id from join_hop where place = $place) as s on s.correlation_id = o.correlation_id
