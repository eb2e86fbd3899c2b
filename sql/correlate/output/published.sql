-- One row: an output that becomes a message of another stream.
select publish, cid, docs, nodes, output, time
from correlation_output
where publish is not null
order by last, time, cid, docs, nodes
