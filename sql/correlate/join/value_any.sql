-- One row: a node of a message, kept or of the batch, whose value is compared.
select docid, node, value, number from rdoc_w
union all
select d.docid, d.node, d.value, d.number
from rdoc as d
semi join kept_message as l on l.docid = d.docid
