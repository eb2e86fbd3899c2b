-- One row: a branch of a candidate query, a tag path of the batch where it may end, and one way of binding it.
-- Subscriptions are expanded to tag paths first, so that the join with nodes is an equality join.
select c.event_id, q.query_id, q.branch, q.first_only, q.op, q.value, q.number, i.tagpath_id, i.positions,
  q.level, q.context, q.context_at, q.bit, array_length(q.inner_at) as inner_points
from candidate as c
join query_branch as q on q.query_id = c.query_id
join tagpath_position as i on i.brinfo_id = q.brinfo_id
