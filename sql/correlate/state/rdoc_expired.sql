-- One row: a message, kept or of the batch, that is not kept any longer: it came again, or no window reaches it from a
-- message that may still come.
select d.docid
from (
  select docid, stream, time from rdoc_live
  union all
  select docid, stream, time from rdoc_ts_w
) as d
join stream_least as n on n.stream = d.stream
where d.time < n.clock - $horizon
union
select x.docid
from rdoc_dead as x
anti join rdoc_gone as g on g.docid = x.docid
