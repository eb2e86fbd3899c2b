-- One row: a message of the batch to keep; it is joined only once this row is written.
select d.docid, d.stream, d.given_id as message_id, d.time
from rdoc_ts_w as d
semi join rbin_w as w on w.docid = d.docid
