-- One row: a node of a message of the batch whose value is compared.
select distinct w.docid, w.node2 as node, r.value, r.number
from rbin_w as w
semi join variable_compared as c on c.var = w.var2
join sax_parse_result as r on r.event_id = w.event_id and r.node_id = w.node2
where r.value is not null
