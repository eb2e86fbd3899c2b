-- One row: a stream that a visible correlation reads, one that it joins with it (or itself), and the stream that it publishes
-- to, if any; how far the times of such messages may lie apart, and whether they are joined: a block alone joins nothing.
with wanted as (
  select distinct s.cid
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
  select distinct e.cid, e.stream from join_edge as e semi join wanted as w on w.cid = e.cid
)
select a.stream, b.stream as partner, o.publish, max(q.reach) as reach,
  max(case when array_length(q.windows) > 0 then 1 else 0 end) as joined
from reader as a
join reader as b on b.cid = a.cid
join join_member as q on q.cid = a.cid
join join_result as o on o.cid = a.cid
group by a.stream, b.stream, o.publish
