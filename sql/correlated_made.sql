-- One row: nodes of two messages of which a template makes an output, however many correlations ask for that.
select distinct m.template_id, c.doc_left, c.doc_right, m.of_right, c.nodes
from correlated as c
join join_output as m on m.cid = c.cid
