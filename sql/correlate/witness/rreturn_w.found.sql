-- One row: a base, a path that outputs copy, and its nodes, as a worker has found them, with the docid of its message.
select d.docid, w.brinfo_id, w.base, w.nodes
from rreturn_w_found as w
join rdoc_ts_w as d on d.event_id = w.docid
