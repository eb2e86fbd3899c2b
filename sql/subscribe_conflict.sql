-- One row: a subscription of this call that cannot be accepted: refused, twice with different texts, or taken.
select c.row_no, c.subscription_id, c.code, c.reason, c.line, c."column", c.caret
from refused as c
union all
select c.row_no, c.subscription_id, 'duplicate-id' as code,
  'the same id stands in an earlier row with another text' as reason,
  cast(null as bigint) as line, cast(null as bigint) as "column", cast(null as varchar) as caret
from incoming as c
join (select subscription_id, min(row_no) as row_no from incoming group by subscription_id) as f
  on f.subscription_id = c.subscription_id and f.row_no < c.row_no
join incoming as d on d.row_no = f.row_no and d.text <> c.text
union all
select c.row_no, c.subscription_id, 'id-taken' as code,
  'the id is subscribed already with another text: unsubscribe it first' as reason,
  cast(null as bigint) as line, cast(null as bigint) as "column", cast(null as varchar) as caret
from incoming as c
join visible as v on v.subscription_id = c.subscription_id
cross join call_form as f
where v.text <> c.text or v.dialect <> f.dialect or v.namespaces <> f.namespaces or v.stream <> f.stream
