-- One row: a stream that a correlation reads, a stream joined with it (perhaps itself), and the stream it publishes to.
-- Also how far apart the times of joined messages may be, and whether any are joined: one block joins nothing.
with wanted as (
  select distinct s.correlation_id
  from subscription_correlation as s
  semi join completed_call as c on c.call_no = s.call_no
  anti join (
    select u.subscription_id, max(u.call_no) as call_no
    from unsubscription as u
    semi join completed_call as d on d.call_no = u.call_no
    group by u.subscription_id
  ) as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
),
reader as (
  select distinct e.correlation_id, e.stream from join_edge as e semi join wanted as w on w.correlation_id = e.correlation_id
)
select a.stream, b.stream as partner, o.publish, max(q.reach) as reach,
  max(case when array_length(q.windows) > 0 then 1 else 0 end) as joined
from reader as a
join reader as b on b.correlation_id = a.correlation_id
join join_member as q on q.correlation_id = a.correlation_id
join join_result as o on o.correlation_id = a.correlation_id
group by a.stream, b.stream, o.publish
