-- One row: the number of nodes that a step of a transformation bound.
select count(*) as bound from bind_bound where step = $step
