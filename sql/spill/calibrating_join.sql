-- One row: a pair that the structural join of the calibration finds.
select b.event_id, b.node_id as base, r.node_id as branch
from calibrating_base as b
join calibrating_branch as r on r.event_id = b.event_id and r.node_id = b.node_id
