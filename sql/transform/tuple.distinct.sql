-- One row: the nodes bound to the variables of a block and of the blocks around it.
-- Duplicates are removed only where tuples may repeat.
select distinct $columns
from ($chains) as b
semi join may_repeat as r on r.transformation_id = b.transformation_id and r.block = b.block
union all
select $columns
from ($chains) as b
anti join may_repeat as r on r.transformation_id = b.transformation_id and r.block = b.block
