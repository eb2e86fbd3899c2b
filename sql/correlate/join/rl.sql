-- One row: two nodes of a kept message bound to the variables of an edge; the second has a value of the batch (R_L).
select b.docid, b.var1, b.var2, b.node1, b.node2, s.value
from shared_value as s
join rbin as b on b.docid = s.docid and b.node2 = s.node
