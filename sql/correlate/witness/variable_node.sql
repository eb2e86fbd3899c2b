-- One row: a node that may be bound to a variable with conditions.
select t.event_id, t.var, t.node
from (
  select event_id, var1 as var, node1 as node from edge_tuple
  union
  select event_id, var2 as var, node2 as node from edge_tuple
) as t
semi join variable_condition as c on c.var = t.var
