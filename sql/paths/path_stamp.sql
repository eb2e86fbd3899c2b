-- One row: a number that grows with the linear paths of the store, their uses and their annotations.
select sum(c.amount) as amount
from (
  select count(*) as amount from query_linear_path
  union all
  select count(*) as amount from linear_path_use
  union all
  select count(*) as amount from linear_path_brinfo
) as c
