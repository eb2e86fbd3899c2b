-- One row: a message with the nodes that conditional steps bound, all its nodes, and the message conditions that hold.
select b.event_id, b.bound, n.nodes, f.held
from (
  select t.event_id, list(struct_pack(transformation_id := t.transformation_id, step := t.step, nodes := t.nodes, node := t.node)) as bound
  from bind_bound as t
  semi join transformation_condition as c on c.transformation_id = t.transformation_id and c.step = t.step
  group by t.event_id
) as b
join (
  select event_id, list(struct_pack(tagpath := tagpath, idpath := idpath, value := value, number := number)) as nodes
  from searched_node
  group by event_id
) as n on n.event_id = b.event_id
left join (
  select event_id, list(struct_pack(query_id := query_id, node := node)) as held
  from message_fact
  group by event_id
) as f on f.event_id = b.event_id
