-- One row: a node that a step may bind, and its base, a node above it; base 0 is the document.
select $distinct r.event_id, i.brinfo_id, coalesce(list_extract(r.idpath, list_extract(i.positions, 1)), 0) as base,
  r.node_id as node
from tagpath_position as i
semi join transformation_step as s on s.brinfo_id = i.brinfo_id
join sax_parse_result as r on r.tagpath_id = i.tagpath_id
