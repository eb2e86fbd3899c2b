-- One row: the longest reach of any correlation, in seconds.
select max(q.reach) as reach
from join_member as q
semi join correlation_wanted as c on c.correlation_id = q.correlation_id
