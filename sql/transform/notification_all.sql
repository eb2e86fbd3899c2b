-- One row: a notification for a filter or a transformation, for a visible subscription that reads the stream.
select message_id, subscription_id, output, $failure from notification
union all
select e.message_id, s.subscription_id, o.output, o.code, o.reason
from bound as b
join output as o on o.event_id = b.event_id and o.template_id = b.template_id and o.bound = b.bound
  and (o.output is not null or o.code is not null)
join event as e on e.event_id = b.event_id
join subscription_transformation as s on s.transformation_id = b.transformation_id
join batch as a on a.stream = s.stream
join completed_call as c on c.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
