-- One row: a use of a linear path's nodes that is not recorded yet.
select distinct n.id as linear_path_id, n.node_use
from call_linear_path as n
anti join linear_path_use as s on s.linear_path_id = n.id and s.node_use = n.node_use
