-- One row: two messages, and the number of different variable pairs for which they share a value.
select doc_left, doc_right, count(*) as pairs
from (
  select doc_left, doc_right, var_left, var_right from value_pair
  union
  select doc_left, doc_right, var_left, var_right from value_pair_above
) as v
group by doc_left, doc_right
