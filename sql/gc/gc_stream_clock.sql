-- One row: a stream that a visible correlation reads and its clock, from the last row that moved it.
select c.stream, max(c.time) as time, c.step
from stream_clock as c
join (select stream, max(step) as step from stream_clock group by stream) as l on l.stream = c.stream and l.step = c.step
semi join (
  select e.stream from join_edge as e semi join live_correlation as v on v.correlation_id = e.correlation_id
) as r on r.stream = c.stream
group by c.stream, c.step
