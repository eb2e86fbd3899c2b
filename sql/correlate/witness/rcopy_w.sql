-- One row: a node of a message of the batch, serialised for copying into outputs.
select d.docid, c.node_id as node, c.text, c.bare
from node_copy as c
join rdoc_ts_w as d on d.event_id = c.event_id
semi join rbin_w as w on w.docid = d.docid
