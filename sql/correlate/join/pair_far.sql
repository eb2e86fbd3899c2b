-- One row: two variables whose nodes are compared for equality by a correlation of more than two blocks.
select distinct p.var_left, p.var_right
from join_pair as p
semi join (
  select m.cid from join_member as m semi join correlation_wanted as c on c.cid = m.cid where len(m.windows) > 1
) as c on c.cid = p.cid
where p.op = '='
