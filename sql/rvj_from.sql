-- One row: values in common of messages that have some for at least $fewest pairs of variables.
select v.*
from $pairs as v
semi join (select doc_left, doc_right from rvj_shared where pairs >= $fewest) as s
  on s.doc_left = v.doc_left and s.doc_right = v.doc_right
