-- One row: a kept message that is later than the clock its stream is set to.
select d.docid
from rdoc_ts as d
join clock_given as c on c.stream = d.stream
anti join gone_message as g on g.docid = d.docid
where d.time > c.time
