-- One row: what a correlation makes of two messages: the message that came last, the time of the later, and where it goes.
select c.cid, c.doc_left, c.doc_right, c.nodes, o.output, m.publish,
  case when c.doc_right > c.doc_left then r.message_id else l.message_id end as message_id,
  l.message_id as message_left, r.message_id as message_right, greatest(l.time, r.time) as time
from correlated as c
join join_output as m on m.cid = c.cid
join correlation_made as o on o.template_id = m.template_id and o.doc_left = c.doc_left and o.doc_right = c.doc_right
  and o.of_right = m.of_right and o.nodes = c.nodes
join rdoc_time as l on l.docid = c.doc_left
join rdoc_time as r on r.docid = c.doc_right
