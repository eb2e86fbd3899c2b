-- One row: the number of nodes that the first step of a transformation bound.
select count(*) as bound
from path_tuple
where base = 0 and brinfo_id = (select brinfo_id from transformation_step where step = $step)
