-- One row: a node whose value is compared, in a message of the batch or a kept one.
select docid, node, value, number from rdoc_w
union all
select d.docid, d.node, d.value, d.number
from rdoc as d
semi join kept_message as l on l.docid = d.docid
