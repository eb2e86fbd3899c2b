-- One row: a part of an output: a node that was found, to be copied itself or to be the base of a path.
select m.template_id, m.doc_left, m.doc_right, m.of_right, m.nodes, p.brinfo_id, list_extract(m.nodes, p.place) as base,
  case when list_extract(m.of_right, p.place) then m.doc_right else m.doc_left end as docid
from correlated_made as m
join join_part as p on p.template_id = m.template_id
