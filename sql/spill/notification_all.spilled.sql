-- One row: a notification, or a part of one, for a subscription that was visible when the message was published.
-- Subscribers who want no parts get whole outputs alone.
select message_id, subscription_id, output, $failure, part from notification
union all
select e.message_id, s.subscription_id, o.output, o.code, o.reason,
  case when o.part = 'entire' then 'whole' else o.part end as part
from bound as b
join output as o
  on o.event_id = b.event_id and o.template_id = b.template_id and o.bound = b.bound and o.affected = b.affected
join event as e on e.event_id = b.event_id
join subscription_transformation as s on s.transformation_id = b.transformation_id
join batch as a on a.stream = s.stream
join completed_call as c on c.call_no = s.call_no
join spilled_call as k on s.call_no <= k.call_no
left join subscription_whole as w on w.subscription_id = s.subscription_id and w.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
where o.part = 'whole' or (o.part = 'entire') = (w.call_no is not null)
