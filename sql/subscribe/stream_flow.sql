-- One row: a stream that a correlation reads, and the stream that it publishes to.
-- row_no is null for a correlation that is already stored and visible.
select distinct c.row_no, i.subscription_id, e.stream, c.publish
from compiled_correlation as c
join incoming as i on i.row_no = c.row_no
join compiled_join_edge as e on e.row_no = c.row_no
where c.publish is not null
union all
select distinct cast(null as bigint) as row_no, s.subscription_id, e.stream, o.publish
from subscription_correlation as s
semi join completed_call as d on d.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
join join_result as o on o.correlation_id = s.correlation_id
join join_edge as e on e.correlation_id = s.correlation_id
where o.publish is not null
