-- One row: a linear path of a query to be arranged, and a tag path that matches it.
select distinct m.linear_path_id, m.tagpath_id
from path_match as m
semi join query_constant as c on c.linear_path_id = m.linear_path_id
