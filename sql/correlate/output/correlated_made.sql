-- One row: nodes of messages of which a template makes an output, however many correlations ask for that.
select distinct m.template_id, c.owners, c.nodes
from correlated as c
join join_result as m on m.correlation_id = c.correlation_id
