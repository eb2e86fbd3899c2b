-- One row: a first step of an outermost chain of steps: its linear path, and the condition that finds its nodes, if any.
select distinct linear_path_id, found_by
from transformation_step
where depth = 1 and place = 1
