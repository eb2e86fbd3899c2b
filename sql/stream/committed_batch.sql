-- One row: a streaming job and the last batch it has committed, in its last revision.
select b.job, b.batch_no, b.revision, b.position, b.figures
from stream_batch as b
join (
  select l.job, l.batch_no, max(r.revision) as revision
  from (select job, max(batch_no) as batch_no from stream_batch group by job) as l
  join stream_batch as r on r.job = l.job and r.batch_no = l.batch_no
  group by l.job, l.batch_no
) as n on n.job = b.job and n.batch_no = b.batch_no and n.revision = b.revision
