-- One row: a branch of a candidate query and a tag path of the batch at which it may end.
-- Subscriptions are expanded to tag paths before any node is touched: the join with nodes is then an equality.
select c.event_id, q.sub_id, q.branch, q.first_only, q.op, q.value, q.number, i.tagpath_id, i.bp_position
from candidate as c
join query_branch as q on q.sub_id = c.sub_id
join tagpath_brinfo as i on i.brinfo_id = q.brinfo_id
semi join batch_tagpath as b on b.tagpath_id = i.tagpath_id
