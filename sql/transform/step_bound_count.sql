-- One row: how many nodes a step of a transformation has bound.
select count(*) as bound from bind_bound where step = $step
