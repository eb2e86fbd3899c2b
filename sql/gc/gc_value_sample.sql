-- One row: a sampled value at a tag path that is still needed, or (tag path 0) the number of sampled messages.
select t.* from value_sample as t where t.tagpath_id = 0
union all
select t.*
from value_sample as t
semi join live_tagpath as l on l.tagpath_id = t.tagpath_id
