-- One row: two variables that a correlation of more than two blocks compares for equality.
select distinct p.var_left, p.var_right
from join_pair as p
semi join (
  select m.correlation_id from join_member as m semi join correlation_wanted as c on c.correlation_id = m.correlation_id where len(m.windows) > 1
) as c on c.correlation_id = p.correlation_id
where p.op = '='
