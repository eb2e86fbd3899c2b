-- One row: a witness that a worker has found, with the docid of its message.
select d.docid, w.event_id, w.var1, w.var2, w.node1, w.node2
from rbin_w_found as w
join rdoc_ts_w as d on d.event_id = w.docid
