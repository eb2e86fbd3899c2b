-- One row: two nodes of a message on an edge of a pattern for its stream, before conditions are checked.
select r.event_id, e.var1, e.var2, coalesce(list_extract(r.idpath, list_extract(i.positions, 1)), 0) as node1,
  r.node_id as node2
from tagpath_position as i
join edge_wanted as e on e.brinfo_id = i.brinfo_id
join batch as b on b.stream = e.stream
join sax_parse_result as r on r.tagpath_id = i.tagpath_id
