-- One row: a message and a chain to walk on: at the end of its equalities, or at a root for queries without any.
select e.event_id, r.chain_id, false as final
from event as e
cross join chain_root as r
union all
select event_id, chain_id, final from share_equal
