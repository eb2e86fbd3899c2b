-- One row: a notification of a batch that workers have matched; its holes have the number of the spilled message.
select
  f.message_id, f.subscription_id,
  case when f.part = 'reduced' then replace(f.output, n.mark, cast(n.number as varchar)) else f.output end as output,
  f.part
from part_found as f
left join spilled_number as n on n.message_id = f.message_id
