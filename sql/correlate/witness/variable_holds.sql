-- One row: a node at which all conditions of one alternative of a variable hold.
select distinct n.event_id, n.var, n.node
from variable_node as n
join (select distinct var, alternative from variable_condition) as c on c.var = n.var
anti join variable_failed as f
  on f.event_id = n.event_id and f.var = n.var and f.alternative = c.alternative and f.node = n.node
