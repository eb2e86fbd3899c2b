-- One row: a transformation whose first step may bind a node of this batch: its condition holds, or its path is there.
select s.transformation_id
from transformation_step as s
semi join fact as f on f.query_id = s.found_by
union
select s.transformation_id
from transformation_step as s
semi join tagpath_position as i on i.brinfo_id = s.brinfo_id
where s.depth = 1 and s.place = 1 and s.found_by is null
