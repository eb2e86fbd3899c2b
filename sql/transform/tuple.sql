-- One row: the nodes bound to the variables of a block and of the blocks around it.
select $distinct $columns
from ($chains) as b
