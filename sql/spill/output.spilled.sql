-- One row: a message with the outputs to make from it, the nodes of returned paths, the copies and the values.
select m.event_id, m.made, r.returned, c.copies, v.valued
from (
  select event_id, list(struct_pack(template_id := template_id, bound := bound, affected := affected)) as made
  from made
  group by event_id
) as m
left join (
  select event_id, list(struct_pack(brinfo_id := brinfo_id, base := base, nodes := nodes)) as returned
  from returned
  group by event_id
) as r on r.event_id = m.event_id
left join (
  select event_id, list(struct_pack(node := node_id, text := text, bare := bare)) as copies
  from node_copy
  group by event_id
) as c on c.event_id = m.event_id
left join (
  select event_id, list(struct_pack(node := node, value := value, tagpath := tagpath)) as valued
  from node_value
  group by event_id
) as v on v.event_id = m.event_id
