-- One row: a linear path in this call, and how a subscription uses its nodes.
select distinct linear_path, id, prefix, postfix, middle, node_use from compiled_path
