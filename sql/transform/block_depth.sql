-- One row: a nesting depth of blocks, and the length of the longest chain of steps at that depth.
select depth, max(place) as places
from transformation_step
group by depth
