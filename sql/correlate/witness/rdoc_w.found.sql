-- One row: a node whose value is compared, as a worker has found it, with the docid of its message.
select d.docid, w.node, w.value, w.number
from rdoc_w_found as w
join rdoc_ts_w as d on d.event_id = w.docid
