-- One row: a limit between buckets for a linear path and operator of interest.
select b.linear_path_id, b.op, b.bound
from predicate_bucket as b
semi join query_constant as c on c.linear_path_id = b.linear_path_id and c.op = b.op
