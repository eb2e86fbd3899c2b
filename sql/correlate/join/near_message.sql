-- One row: a kept message that shares a value with another message.
select l.docid, l.message_id, l.time
from kept_message as l
semi join joined_message as j on j.docid = l.docid
