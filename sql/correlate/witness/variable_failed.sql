-- One row: a node, a variable and an alternative of its conditions that fails at the node.
select distinct n.event_id, n.var, c.alternative, n.node
from variable_node as n
join variable_condition as c on c.var = n.var
left join fact as f on f.event_id = n.event_id and f.query_id = c.query_id and f.node = n.node
where (f.node is null) <> c.negated
