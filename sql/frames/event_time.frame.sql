-- One row: a message of a frame with its time; without one it has that of its arrival.
select g.event_id, coalesce(g.time, s.now + 0.000001 * row_number() over (order by g.event_id)) as time
from given as g
cross join frame_start as s
