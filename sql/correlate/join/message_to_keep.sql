-- One row: a message that is kept when the batch is.
select d.docid
from rdoc_ts as d
anti join gone_message as g on g.docid = d.docid
