-- One row: a transformation whose first step may bind a node of this batch, as its path is there.
select distinct s.transformation_id
from transformation_step as s
semi join tagpath_position as i on i.brinfo_id = s.brinfo_id
where s.depth = 1 and s.place = 1
