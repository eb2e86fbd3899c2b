-- One row: a message at the root of a chain: where queries without any equality predicate start.
select e.event_id, r.chain_id, false as final
from event as e
cross join chain_root as r
union all
select event_id, chain_id, final from share_equal
