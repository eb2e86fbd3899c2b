-- One row: the nodes that the variables of a block, and of those around it, are bound to.
select $distinct $columns
from ($chains) as b
