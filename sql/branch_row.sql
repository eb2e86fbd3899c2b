-- One row: a branch of a candidate query reaches a node; with the nodes bound to the branching points on the way.
-- Of branches that ask for some node only those that pass are kept, and only once for the same points.
select distinct
  b.event_id, b.sub_id, b.branch, b.level, b.context, b.context_at, b.bit, b.first_only, b.inner_at,
  b.inner_points, b.inner_wants, b.leaf, b.passes, list_transform(b.positions, lambda p: list_extract(b.idpath, p)) as nodes
from (
  select
    c.event_id, q.sub_id, q.branch, q.level, q.context, q.context_at, q.bit, q.first_only,
    q.inner_at, q.inner_points, q.inner_wants, r.idpath, positions,
    case when q.first_only then r.node_id else 0 end as leaf,
    coalesce(passes(r.value, r.number, q.op, q.value, q.number), false) as passes
  from candidate as c
  join query_branch as q on q.sub_id = c.sub_id
  join tagpath_brinfo as i on i.brinfo_id = q.brinfo_id
  join sax_parse_result as r on r.event_id = c.event_id and r.tagpath_id = i.tagpath_id
  cross join unnest(i.bp_position) as u(positions)
) as b
where b.first_only or b.passes
