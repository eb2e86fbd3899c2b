-- One row: two nodes of a message of the batch bound to the variables of an edge, and the value of the second (R_R).
select w.docid, w.var1, w.var2, w.node1, w.node2, d.value
from rbin_w as w
join rdoc_w as d on d.docid = w.docid and d.node = w.node2
