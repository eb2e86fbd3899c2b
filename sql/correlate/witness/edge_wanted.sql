-- One row: an edge of the patterns of a visible correlation.
select distinct e.stream, e.var1, e.var2, e.brinfo_id
from join_edge as e
semi join correlation_wanted as c on c.correlation_id = e.correlation_id
