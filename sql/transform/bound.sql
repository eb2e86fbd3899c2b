-- One row: all that a transformation has bound in a message: block, nodes, block, nodes..., in the order of bindings.
select b.event_id, b.tid, coalesce(m.template_id, b.tid) as template_id, b.bound
from (
  select t.event_id, t.tid, flatten(list_sort(list(list_concat([t.block], t.nodes)))) as bound
  from ($tuples) as t
  semi join transformed as x on x.event_id = t.event_id and x.tid = t.tid
  group by t.event_id, t.tid
) as b
left join transformation_template as m on m.tid = b.tid
