-- One row: the lower limit of a stored bucket, for a linear path in this call.
select b.linear_path_id, b.op, b.bound
from predicate_bucket as b
semi join query_constant as c on c.linear_path_id = b.linear_path_id
