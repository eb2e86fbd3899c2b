-- One row: how many pairs of a tag path and an annotated linear path have one position array, and how many several.
select count(case when array_length(bp_position) = 1 then 1 end) as plain,
  count(case when array_length(bp_position) > 1 then 1 end) as recursive
from tagpath_brinfo
