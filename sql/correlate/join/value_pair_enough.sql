-- One row: a row of value_pair, or of value_pair_above, whose messages share values for at least $fewest pairs of variables.
select v.*
from value_pair as v
semi join (select doc_left, doc_right from value_pair_count where pairs >= $fewest) as s
  on s.doc_left = v.doc_left and s.doc_right = v.doc_right
