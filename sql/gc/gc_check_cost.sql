-- One row: what a check that is still needed has cost so far.
select t.check_id, cast(sum(t.candidates) as bigint) as candidates, cast(sum(t.held) as bigint) as held, sum(t.seconds) as seconds
from check_cost as t
semi join live_check as l on l.check_id = t.check_id
group by t.check_id
