-- One row: a node that cannot be bound to a variable, because its conditions fail.
select n.event_id, n.var, n.node
from variable_node as n
anti join variable_holds as h on h.event_id = n.event_id and h.var = n.var and h.node = n.node
