-- One row: as in rvj, of messages that have values in common for at least $fewest pairs of variables.
select v.doc_left, v.var_left, v.node_left, v.doc_right, v.var_right, v.node_right
from rvj as v
semi join (select doc_left, doc_right from rvj_shared where pairs >= $fewest) as s
  on s.doc_left = v.doc_left and s.doc_right = v.doc_right
