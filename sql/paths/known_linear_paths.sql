-- One row: a linear path in the store, and how subscriptions use its nodes.
select p.linear_path, bit_or(u.node_use) as node_use
from query_linear_path as p
join linear_path_use as u on u.linear_path_id = p.id
group by p.linear_path
