-- One row: a part of an output: a joined node that is copied itself, or is the base of a path.
select m.template_id, m.owners, m.nodes, p.brinfo_id, list_extract(m.nodes, p.place) as base,
  list_extract(m.owners, p.place) as docid
from correlated_made as m
join join_part as p on p.template_id = m.template_id
