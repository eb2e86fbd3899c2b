-- One row: a base in a message of the batch, a path that outputs copy, and its nodes, in document order.
select d.docid, t.brinfo_id, t.base, t.nodes
from (
  select r.event_id, i.brinfo_id, coalesce(list_extract(r.idpath, list_extract(i.positions, 1)), 0) as base,
    list_sort(list(r.node_id)) as nodes
  from tagpath_position as i
  semi join join_part as p on p.brinfo_id = i.brinfo_id
  join sax_parse_result as r on r.tagpath_id = i.tagpath_id
  group by r.event_id, i.brinfo_id, coalesce(list_extract(r.idpath, list_extract(i.positions, 1)), 0)
) as t
join rdoc_ts_w as d on d.event_id = t.event_id
semi join rbin_w as w on w.docid = d.docid
