-- One row: two nodes of a message bound to the variables of an edge, in the batch or in a kept message to be joined.
select docid, var1, var2, node1, node2 from rbin_w
union all
select b.docid, b.var1, b.var2, b.node1, b.node2
from rbin as b
semi join joined_message as j on j.docid = b.docid
semi join kept_message as l on l.docid = b.docid
