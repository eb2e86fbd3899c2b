-- One row: a message of which something is made: by which templates of which nodes, what returned paths lead to (or
-- all its nodes, to be searched), and copies.
select m.event_id, m.made, r.returned, c.copies
from (
  select event_id, list(struct_pack(template_id := template_id, bound := bound)) as made
  from made
  group by event_id
) as m
left join (
  select event_id, list(struct_pack($fields)) as returned
  from returned
  group by event_id
) as r on r.event_id = m.event_id
left join (
  select event_id, list(struct_pack(node := node_id, text := text, bare := bare)) as copies
  from node_copy
  group by event_id
) as c on c.event_id = m.event_id
