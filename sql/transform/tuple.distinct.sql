-- One row: the nodes that the variables of a block, and of those around it, are bound to; made distinct where they may
-- repeat.
select distinct $columns
from ($chains) as b
semi join may_repeat as r on r.transformation_id = b.transformation_id and r.block = b.block
union all
select $columns
from ($chains) as b
anti join may_repeat as r on r.transformation_id = b.transformation_id and r.block = b.block
