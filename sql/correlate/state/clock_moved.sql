-- One row: a stream and the time its clock is set to.
select stream, time, step from clock_given
