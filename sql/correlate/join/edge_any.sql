-- One row: two nodes of a message bound to the variables of an edge; fresh if the message is in the batch.
select docid, var1, var2, node1, node2, true as fresh from rbin_w
union all
select b.docid, b.var1, b.var2, b.node1, b.node2, false as fresh
from rbin as b
semi join kept_message as l on l.docid = b.docid
