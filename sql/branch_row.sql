-- One row: a branch of a candidate query reaches a node; with the nodes bound to the branching points on the way.
-- Of branches that ask for some node only those that pass are kept, and only once for the same points.
select distinct
  b.event_id, b.sub_id, b.branch, b.leaf, b.passes,
  list_transform(b.positions, lambda p: list_extract(b.idpath, p)) as nodes
from (
  select p.event_id, p.sub_id, p.branch, p.first_only, r.idpath, unnest(p.bp_position) as positions,
    case when p.first_only then r.node_id else 0 end as leaf,
    coalesce(passes(r.value, r.number, p.op, p.value, p.number), false) as passes
  from branch_path as p
  join sax_parse_result as r on r.event_id = p.event_id and r.tagpath_id = p.tagpath_id
) as b
where b.first_only or b.passes
