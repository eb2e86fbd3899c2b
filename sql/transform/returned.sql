-- One row: a path that templates copy and a base: the nodes below it, in document order.
select event_id, brinfo_id, base, list_sort(list(node)) as nodes
from return_tuple
group by event_id, brinfo_id, base
