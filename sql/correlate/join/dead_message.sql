-- One row: a kept message that does not count any more: it came again in this batch, or no window reaches it.
select d.docid
from rdoc_ts as d
semi join rdoc_ts_w as w on w.stream = d.stream and w.given_id = d.message_id
union
select docid from gone_message
