-- One row: a node that a branch of a candidate query reaches.
-- It has the nodes bound to the branching points on the way, and the one where the branch starts (0: the document).
-- Branches that need only some node to pass keep the passing nodes alone, as leaf 0.
select b.event_id, b.query_id, b.branch, b.leaf, b.passes, b.level, b.context, b.bit, b.inner_points,
  case when b.context_at = 0 then 0 else list_extract(b.idpath, list_extract(b.positions, b.context_at)) end as node,
  list_transform(b.positions, lambda p: list_extract(b.idpath, p)) as nodes
from (
  select p.event_id, p.query_id, p.branch, false as first_only, 0 as leaf, true as passes,
    p.level, p.context, p.context_at, p.bit, p.inner_points, p.positions, r.idpath
  from branch_path as p
  join sax_parse_result as r on r.event_id = p.event_id and r.tagpath_id = p.tagpath_id and r.value = p.value
  where p.op = '=' and not p.first_only
  union all
  select p.event_id, p.query_id, p.branch, p.first_only, case when p.first_only then r.node_id else 0 end as leaf,
    coalesce($passes, false) as passes,
    p.level, p.context, p.context_at, p.bit, p.inner_points, p.positions, r.idpath
  from branch_path as p
  join sax_parse_result as r on r.event_id = p.event_id and r.tagpath_id = p.tagpath_id
  where p.op <> '=' or p.value is null or p.first_only
) as b
where b.first_only or b.passes
