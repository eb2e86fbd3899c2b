-- One row: a stream and its clock, from the last row that moved it.
select c.stream, max(c.time) as time, c.step
from stream_clock as c
join (select stream, max(step) as step from stream_clock group by stream) as l on l.stream = c.stream and l.step = c.step
group by c.stream, c.step
