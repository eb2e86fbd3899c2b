-- One row: an output of a correlation, with the message that came last, the latest time, and the target stream.
select c.correlation_id, c.docs, c.last, c.nodes, o.output, m.publish, t.message_id, c.time
from correlated as c
join join_result as m on m.correlation_id = c.correlation_id
join correlation_made as o on o.template_id = m.template_id and o.owners = c.owners and o.nodes = c.nodes
join message_time as t on t.docid = c.last
