-- One row: a branch of a candidate query and a tag path of the batch at which it may end, bound in one way.
-- Subscriptions are expanded to tag paths before any node is touched: the join with nodes is then an equality.
select c.event_id, q.query_id, q.branch, q.first_only, q.op, q.value, q.number, i.tagpath_id, i.positions,
  q.level, q.context, q.context_at, q.bit, array_length(q.inner_at) as inner_points
from candidate as c
join query_branch as q on q.query_id = c.query_id
join tagpath_position as i on i.brinfo_id = q.brinfo_id
