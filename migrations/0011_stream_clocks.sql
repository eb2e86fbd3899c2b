-- Clocks of streams: the greatest time of the messages accepted so far, by which later ones are late.

-- One row: the clock of a stream was moved, by a message or by hand; the row with the greatest step counts.
create table if not exists stream_clock (stream varchar, time double, step bigint);

insert into stream_clock
select d.stream, max(d.time) as time, cast(1 as bigint) as step
from rdoc_ts as d
anti join rdoc_gone as g on g.docid = d.docid
anti join stream_clock as c on c.stream = d.stream
group by d.stream;
