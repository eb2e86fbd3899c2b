-- One row: an output to be made: a template and nodes of messages, once however many correlations share it.
select distinct m.template_id, c.owners, c.nodes
from correlated as c
join join_result as m on m.correlation_id = c.correlation_id
