-- One row: a block that spilling affects in a message. Tag path 0: a condition of it may be decided by what is missing.
-- Any other: it may bind nodes in the spilled elements at that tag path, below the node at place base_at of the tuple.
select distinct x.event_id, x.transformation_id, s.block, cast(0 as bigint) as tagpath_id, 0 as base_at
from transformed as x
join spilled_root as r on r.event_id = x.event_id
join spill_touch as t on t.tagpath_id = r.tagpath_id
join query_path_condition as p on p.linear_path_id = t.linear_path_id
join transformation_condition as c on c.transformation_id = x.transformation_id and c.query_id = p.query_id
join transformation_step as s on s.transformation_id = c.transformation_id and s.step = c.step
where t.inside or p.valued
union all
select distinct x.event_id, x.transformation_id, s.block, r.tagpath_id, f.base_at
from transformed as x
join spilled_root as r on r.event_id = x.event_id
join spill_touch as t on t.tagpath_id = r.tagpath_id
join transformation_step as s on s.transformation_id = x.transformation_id and s.linear_path_id = t.linear_path_id
join transformation_step as f on f.transformation_id = s.transformation_id and f.block = s.block
where t.inside and not s.hidden and f.place = 1
