-- One row: a node that is a branching point of a query, with the bits of the branches that hold there.
-- A branch holds if the node at its end passes: any one, or of a first-only branch the first in document order.
-- Run once per level, deepest first; `truth_deeper` is the result of the level below.
with level_row as (
  select r.event_id, r.sub_id, r.branch, r.leaf, r.passes, r.nodes, q.context, q.context_at, q.bit,
    q.inner_at, q.inner_points, q.inner_wants
  from branch_row as r
  join query_branch as q on q.sub_id = r.sub_id and q.branch = r.branch
  where q.level = $level
),
through as (
  select b.event_id, b.sub_id, b.branch, b.leaf, b.nodes,
    bool_and(coalesce(t.bits, 0) = b.want) as holds
  from (
    select x.event_id, x.sub_id, x.branch, x.leaf, x.nodes,
      list_extract(x.nodes, x.context_at + nth) as node,
      list_extract(x.inner_points, nth) as point, list_extract(x.inner_wants, nth) as want
    from level_row as x
    cross join unnest(x.inner_at) as u(nth)
  ) as b
  left join truth_deeper as t
    on t.event_id = b.event_id and t.sub_id = b.sub_id and t.point = b.point and t.node = b.node
  group by b.event_id, b.sub_id, b.branch, b.leaf, b.nodes
),
kept as (
  select x.event_id, x.sub_id, x.branch, x.context, x.bit, x.leaf, x.passes,
    case when x.context_at = 0 then 0 else list_extract(x.nodes, x.context_at) end as node
  from level_row as x
  anti join through as t
    on t.event_id = x.event_id and t.sub_id = x.sub_id and t.branch = x.branch and t.leaf = x.leaf
    and t.nodes = x.nodes and not t.holds
),
holding as (
  select event_id, sub_id, context, node, bit
  from kept
  group by event_id, sub_id, branch, context, node, bit
  having min_by(passes, leaf)
)
select event_id, sub_id, context as point, node, bit_or(bit) as bits
from holding
group by event_id, sub_id, context, node
