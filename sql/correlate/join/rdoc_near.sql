-- One row: a message that is kept and has a value in common with another.
select l.docid, l.message_id, l.time
from rdoc_live as l
semi join rdoc_joined as j on j.docid = l.docid
