-- One row: a message to keep after the batch.
select d.docid
from rdoc_ts as d
anti join gone_message as g on g.docid = d.docid
