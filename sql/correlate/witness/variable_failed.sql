-- One row: a node for which one alternative of its variable's conditions fails.
select distinct n.event_id, n.var, c.alternative, n.node
from variable_node as n
join variable_condition as c on c.var = n.var
left join fact as f on f.event_id = n.event_id and f.query_id = c.query_id and f.node = n.node
where (f.node is null) <> c.negated
