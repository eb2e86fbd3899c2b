-- One row: a message to drop: it was replaced, or no window reaches it from any message that may still come.
select d.docid
from (
  select docid, stream, time from kept_message
  union all
  select docid, stream, time from rdoc_ts_w
) as d
join stream_least as n on n.stream = d.stream
where d.time < n.clock - $horizon
union
select x.docid
from dead_message as x
anti join gone_message as g on g.docid = x.docid
