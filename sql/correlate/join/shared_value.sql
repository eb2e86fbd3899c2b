-- One row: a node of a kept message whose value also occurs in the batch.
select d.docid, d.node, d.value
from rdoc as d
semi join rdoc_w as w on w.value = d.value
semi join kept_message as l on l.docid = d.docid
