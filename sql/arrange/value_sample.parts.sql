-- One row: a value at a tag path, and how often the workers have seen it together.
select tagpath_id, value, number, sum(seen) as seen
from sampled_part
group by tagpath_id, value, number
