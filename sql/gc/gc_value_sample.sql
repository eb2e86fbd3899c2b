-- One row: values seen at a tag path that is still needed, or (at 0) the count of messages seen.
select t.* from value_sample as t where t.tagpath_id = 0
union all
select t.*
from value_sample as t
semi join live_tagpath as l on l.tagpath_id = t.tagpath_id
