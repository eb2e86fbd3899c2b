-- One row: a path that outputs copy and a base in a message: the nodes below it, in document order.
select docid, brinfo_id, base, nodes from rreturn_w
union all
select r.docid, r.brinfo_id, r.base, r.nodes
from rreturn as r
semi join kept_message as l on l.docid = r.docid
