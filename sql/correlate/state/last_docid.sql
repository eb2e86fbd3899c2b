-- One row: the highest docid of any kept message.
select coalesce(max(docid), 0) as docid
from (
  select max(docid) as docid from rdoc_ts
  union all
  select max(docid) as docid from rbin
  union all
  select max(docid) as docid from rdoc
  union all
  select max(docid) as docid from rcopy
  union all
  select max(docid) as docid from rreturn
  union all
  select max(docid) as docid from gone_message
) as d
