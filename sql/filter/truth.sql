-- One row: a node at a branching point of a query, and the bits of the branches that hold there.
-- A branch holds if a node at its end passes (for a first-only branch, the first in document order; for one that counts,
-- if there are enough of them) and the branching points on its way have the bits they want, as found one level below.
-- Runs once per level, deepest first.
-- Of a message that has been read in part, a first node that may yet get its bits has to pass as well.
select h.event_id, h.query_id, h.context as point, h.node, bit_or(h.bit) as bits
from (
  select r.event_id, r.query_id, r.context, r.node, r.bit
  from branch_row as r
  where r.level = $level and r.inner_points = 0 and r.leaf = 0 and r.passes
  union all
  select r.event_id, r.query_id, r.context, r.node, r.bit
  from branch_row as r
  join query_branch as q on q.query_id = r.query_id and q.branch = r.branch
  $joins
  where r.level = $level and r.inner_points > 0 and r.leaf = 0 and r.passes $wanted
  union all
  select r.event_id, r.query_id, r.context, r.node, r.bit
  from branch_row as r
  join query_branch as q on q.query_id = r.query_id and q.branch = r.branch
  $joins
  $opened
  where r.level = $level and r.leaf <> 0 $possible
  group by r.event_id, r.query_id, r.branch, r.context, r.bit, r.node
  having case when min(q.op) = 'at-least' then count(distinct case when true $wanted then r.leaf end) >= min(q.number)
    else $first end
) as h
group by h.event_id, h.query_id, h.context, h.node
