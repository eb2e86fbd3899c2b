-- One row: a message of the frame and its time; a message without a time gets its time of arrival.
select g.event_id, coalesce(g.time, s.now + 0.000001 * row_number() over (order by g.event_id)) as time
from given as g
cross join frame_start as s
