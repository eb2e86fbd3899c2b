-- One row: a schema in use: the newest of its name, unless the newest call removes it.
with newest as (
  select s.name, max(s.call_no) as call_no
  from message_schema as s
  semi join completed_call as c on c.call_no = s.call_no
  group by s.name
)
select distinct s.call_no, s.name, s.definition
from message_schema as s
join newest as n on n.name = s.name and n.call_no = s.call_no
where s.definition <> ''
order by s.name
