-- One row: a reference table in use: the newest of its name, unless the newest call removes it.
with newest as (
  select r.name, max(r.call_no) as call_no
  from reference_table as r
  semi join completed_call as c on c.call_no = r.call_no
  group by r.name
)
select distinct r.call_no, r.name, r.path, r.linear_path, r.key_column, r.column_names, r.amount
from reference_table as r
join newest as n on n.name = r.name and n.call_no = r.call_no
where r.linear_path <> ''
order by r.name
