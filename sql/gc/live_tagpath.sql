-- One row: a tag path that matches a live linear path.
select distinct m.tagpath_id
from path_match as m
semi join live_path as l on l.linear_path_id = m.linear_path_id
