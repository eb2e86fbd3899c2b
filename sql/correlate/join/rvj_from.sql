-- One row: values in common of messages that have some for enough pairs of variables.
select v.*
from rvj as v
semi join (select doc_left, doc_right from rvj_shared where pairs >= $fewest) as s
  on s.doc_left = v.doc_left and s.doc_right = v.doc_right
