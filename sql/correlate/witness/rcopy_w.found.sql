-- One row: a node that a worker has serialised for copying into outputs, with the docid of its message.
select d.docid, w.node, w.text, w.bare
from rcopy_w_found as w
join rdoc_ts_w as d on d.event_id = w.docid
