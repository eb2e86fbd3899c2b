-- One row: a node with its value and number, in the batch or in a kept message to be joined.
select docid, node, value, number from rdoc_w
union all
select d.docid, d.node, d.value, d.number
from rdoc as d
semi join joined_message as j on j.docid = d.docid
semi join kept_message as l on l.docid = d.docid
