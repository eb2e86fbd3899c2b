-- One row: a kept message that a message of the batch with the same id replaces.
select d.message_id, d.stream, d.time
from rdoc_ts as d
semi join rdoc_ts_w as w on w.stream = d.stream and w.given_id = d.message_id
anti join gone_message as g on g.docid = d.docid
order by d.docid
