-- One row: a branch of a candidate query reaches a node; with the nodes bound to the branching points on the way.
-- Of branches that ask for some node only those that pass are kept, as leaf 0.
select b.event_id, b.sub_id, b.branch, b.leaf, b.passes,
  list_transform(b.positions, lambda p: list_extract(b.idpath, p)) as nodes
from (
  select p.event_id, p.sub_id, p.branch, r.idpath, unnest(p.bp_position) as positions, 0 as leaf, true as passes
  from branch_path as p
  join sax_parse_result as r on r.event_id = p.event_id and r.tagpath_id = p.tagpath_id and r.value = p.value
  where p.op = '='
) as b
union all
select distinct b.event_id, b.sub_id, b.branch, b.leaf, b.passes,
  list_transform(b.positions, lambda p: list_extract(b.idpath, p)) as nodes
from (
  select t.event_id, t.sub_id, t.branch, t.idpath, unnest(t.bp_position) as positions, t.leaf, t.passes
  from (
    select p.event_id, p.sub_id, p.branch, p.first_only, r.idpath, p.bp_position,
      case when p.first_only then r.node_id else 0 end as leaf,
      coalesce(passes(r.value, r.number, p.op, p.value, p.number), false) as passes
    from branch_path as p
    join sax_parse_result as r on r.event_id = p.event_id and r.tagpath_id = p.tagpath_id
    where p.op <> '=' or p.value is null
  ) as t
  where t.first_only or t.passes
) as b
