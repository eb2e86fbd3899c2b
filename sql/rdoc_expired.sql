-- One row: a message, kept or of the batch, that is not kept any longer: it came again, or no window reaches it.
select d.docid
from (
  select docid, stream, time from rdoc_live
  union all
  select docid, stream, time from rdoc_ts_w
) as d
join (
  select stream, max(time) as newest
  from (select stream, time from rdoc_live union all select stream, time from rdoc_ts_w) as t
  group by stream
) as n on n.stream = d.stream
where d.time < n.newest - $horizon
union
select x.docid
from rdoc_dead as x
anti join rdoc_gone as g on g.docid = x.docid
