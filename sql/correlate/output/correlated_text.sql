-- One row: an output to be made: its template, its nodes, and the texts to copy.
select m.template_id, m.owners, m.nodes, t.texts
from correlated_made as m
left join (
  select p.template_id, p.owners, p.nodes,
    list(struct_pack(docid := p.docid, brinfo_id := p.brinfo_id, base := p.base, node := p.node, text := c.text,
      bare := c.bare)) as texts
  from part_node as p
  join rcopy_joined as c on c.docid = p.docid and c.node = p.node
  group by p.template_id, p.owners, p.nodes
) as t on t.template_id = m.template_id and t.owners = m.owners and t.nodes = m.nodes
