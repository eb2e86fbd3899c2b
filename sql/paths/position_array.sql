-- One row: how many pairs of a tag path and a linear path are bound in one way, and how many in several.
select count(case when array_length(bp_position) = 1 then 1 end) as plain,
  count(case when array_length(bp_position) > 1 then 1 end) as recursive
from tagpath_brinfo
