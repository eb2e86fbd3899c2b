-- One row: a depth of blocks of transformations, with the length of its longest chain of steps.
select depth, max(place) as places
from transformation_step
group by depth
