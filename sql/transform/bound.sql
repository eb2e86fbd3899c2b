-- One row: a message and all nodes that a transformation bound in it: block, nodes, block, nodes..., in binding order.
select b.event_id, b.transformation_id, coalesce(m.template_id, b.transformation_id) as template_id, b.bound
from (
  select t.event_id, t.transformation_id, flatten(list_sort(list(list_concat([t.block], t.nodes)))) as bound
  from ($tuples) as t
  semi join transformed as x on x.event_id = t.event_id and x.transformation_id = t.transformation_id
  group by t.event_id, t.transformation_id
) as b
left join transformation_template as m on m.transformation_id = b.transformation_id
