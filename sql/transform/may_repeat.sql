-- One row: a block whose tuples may be bound more than once.
select r.transformation_id, r.block
from block_repeat as r
anti join settled_path as s on s.linear_path_id = r.linear_path_id and s.base = r.base
union
select s.transformation_id, s.block
from transformation_step as s
anti join transformation_template as t on t.transformation_id = s.transformation_id
