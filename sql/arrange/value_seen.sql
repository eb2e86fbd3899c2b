-- One row: a value at a tag path of this batch, and the number of messages that have it there.
select tagpath_id, value, number, count(distinct event_id) as seen
from (
  select tagpath_id, event_id, number, case when length(value) <= 200 then value end as value
  from sax_parse_result
) as r
group by tagpath_id, value, number
