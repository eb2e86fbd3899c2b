-- One row: a base, a path that templates copy, and the nodes of the path below the base, in document order.
select event_id, brinfo_id, base, list_sort(list(node)) as nodes
from return_tuple
group by event_id, brinfo_id, base
