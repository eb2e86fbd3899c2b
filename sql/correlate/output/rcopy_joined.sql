-- One row: a node of a message that an output mentions, serialised for copying.
select docid, node, text, bare from rcopy_w
union all
select c.docid, c.node, c.text, c.bare
from rcopy as c
semi join kept_message as l on l.docid = c.docid
semi join part_base as p on p.docid = c.docid
