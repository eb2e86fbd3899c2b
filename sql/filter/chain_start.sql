-- One row: a message at the end of a chain of equalities, or at the root of a chain for queries without any.
select e.event_id, r.chain_id, false as final
from event as e
cross join chain_root as r
union all
select event_id, chain_id, final from share_equal
