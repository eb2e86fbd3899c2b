-- One row: two messages, and for how many different pairs of variables they have a value in common.
select doc_left, doc_right, count(*) as pairs
from (
  select doc_left, doc_right, var_left, var_right from value_pair
  union
  select doc_left, doc_right, var_left, var_right from value_pair_above
) as v
group by doc_left, doc_right
