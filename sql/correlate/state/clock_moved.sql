-- One row: a clock as it is given.
select stream, time, step from clock_given
