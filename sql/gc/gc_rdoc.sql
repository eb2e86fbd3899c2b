-- One row: a value of a node that is still a witness.
select t.*
from rdoc as t
semi join live_witness as w on w.docid = t.docid and w.node2 = t.node
