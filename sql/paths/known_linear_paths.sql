-- One row: a linear path of the store, with how its nodes are used.
select p.linear_path, bit_or(u.node_use) as node_use
from query_linear_path as p
join linear_path_use as u on u.linear_path_id = p.id
group by p.linear_path
