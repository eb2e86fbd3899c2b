-- One row: an output that becomes a message of another stream.
select publish, correlation_id, docs, nodes, output, time
from correlation_output
where publish is not null
order by last, time, correlation_id, docs, nodes
