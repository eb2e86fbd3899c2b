-- One row: a value sampled at a tag path of a query to be arranged.
select s.tagpath_id, s.value, s.number, sum(s.seen) as seen
from value_sample as s
semi join seen_path as p on p.tagpath_id = s.tagpath_id
group by s.tagpath_id, s.value, s.number
