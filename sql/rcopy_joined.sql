-- One row: a node of a message that is joined with another, as it may be copied.
select docid, node, text, bare from rcopy_w
union all
select c.docid, c.node, c.text, c.bare
from rcopy as c
semi join rdoc_live as l on l.docid = c.docid
semi join (select doc_left as docid from correlated union select doc_right as docid from correlated) as j
  on j.docid = c.docid
