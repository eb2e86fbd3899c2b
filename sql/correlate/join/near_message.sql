-- One row: a message that is kept and has a value in common with another.
select l.docid, l.message_id, l.time
from kept_message as l
semi join joined_message as j on j.docid = l.docid
