-- One row: a kept message that can still be joined.
select d.docid, d.stream, d.message_id, d.time
from rdoc_ts as d
anti join dead_message as x on x.docid = d.docid
