-- One row: a kept message that can no longer be joined: this batch replaces it, or no window reaches it.
select d.docid
from rdoc_ts as d
semi join rdoc_ts_w as w on w.stream = d.stream and w.given_id = d.message_id
union
select docid from gone_message
