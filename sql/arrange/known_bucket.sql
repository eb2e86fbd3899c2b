-- One row: the lower limit of a bucket of a linear path of interest.
select b.linear_path_id, b.op, b.bound
from predicate_bucket as b
semi join query_constant as c on c.linear_path_id = b.linear_path_id
