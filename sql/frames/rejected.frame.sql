-- One row: a rejected message: it cannot be read, or an earlier message has the same id.
select s.message_id, s.code, s.reason, s.line, s."column"
from shredded as s
left join arrival as a on a.event_id = s.event_id
where s.row_kind = 'rejected' and (a.event_id is not null or s.message_id is null)
union all
select s.message_id, 'duplicate-id' as code, 'an earlier message of the batch has the same id' as reason,
  cast(null as bigint) as line, cast(null as bigint) as "column"
from shredded as s
anti join arrival as a on a.event_id = s.event_id
where s.row_kind in ('event', 'rejected') and s.message_id is not null
