-- One row: a message of which something is made: the tuples of all blocks, and copies of nodes.
select p.event_id, p.bound, c.copies
from (
  select t.event_id, list(struct_pack(tid := t.tid, block := t.block, nodes := t.nodes)) as bound
  from ($tuples) as t
  semi join transformed as x on x.event_id = t.event_id and x.tid = t.tid
  group by t.event_id
) as p
left join (
  select event_id, list(struct_pack(node := node_id, text := text, bare := bare)) as copies
  from node_copy
  group by event_id
) as c on c.event_id = p.event_id
