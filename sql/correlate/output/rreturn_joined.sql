-- One row: a base in a message, a path that outputs copy, and the nodes of the path below the base, in document order.
select docid, brinfo_id, base, nodes from rreturn_w
union all
select r.docid, r.brinfo_id, r.base, r.nodes
from rreturn as r
semi join kept_message as l on l.docid = r.docid
