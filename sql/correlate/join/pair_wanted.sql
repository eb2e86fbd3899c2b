-- One row: two variables that some correlation compares.
select distinct p.op, p.var_left, p.var_right
from join_pair as p
semi join correlation_wanted as c on c.correlation_id = p.correlation_id
