-- One row: a node of a kept message whose value also occurs in the batch and has no slice.
select d.docid, d.node, d.value
from rdoc as d
semi join value_missed as m on m.value = d.value
semi join kept_message as l on l.docid = d.docid
