-- One row: a kept message of a stream that is later than the clock it is given.
select d.docid
from rdoc_ts as d
join clock_given as c on c.stream = d.stream
anti join gone_message as g on g.docid = d.docid
where d.time > c.time
