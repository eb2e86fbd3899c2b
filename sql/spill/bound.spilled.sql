-- One row: a message, all nodes that a transformation bound in it, and its affected blocks: block, tag path, base...
select b.event_id, b.transformation_id, coalesce(m.template_id, b.transformation_id) as template_id, b.bound,
  coalesce(k.affected, cast([] as bigint[])) as affected
from (
  select t.event_id, t.transformation_id, flatten(list_sort(list(list_concat([t.block], t.nodes)))) as bound
  from ($tuples) as t
  semi join transformed as x on x.event_id = t.event_id and x.transformation_id = t.transformation_id
  group by t.event_id, t.transformation_id
) as b
left join transformation_template as m on m.transformation_id = b.transformation_id
left join (
  select event_id, transformation_id,
    flatten(list_sort(list([cast(block as bigint), tagpath_id, cast(base_at as bigint)]))) as affected
  from spilled_block
  group by event_id, transformation_id
) as k on k.event_id = b.event_id and k.transformation_id = b.transformation_id
