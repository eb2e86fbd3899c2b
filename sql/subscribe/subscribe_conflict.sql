-- One row: a subscription in this call that is refused: invalid, or its id is used for something else.
select c.row_no, c.subscription_id, c.code, c.reason, c.line, c."column", c.caret
from refused as c
union all
select c.row_no, c.subscription_id, 'duplicate-id' as code,
  case
    when d.text <> c.text then 'the same id stands in an earlier row with another text'
    else 'the same id stands in an earlier row with other namespaces, another dialect, stream, max_delay, partial, variables or weights' end as reason,
  cast(null as bigint) as line, cast(null as bigint) as "column", cast(null as varchar) as caret
from incoming as c
join (select subscription_id, min(row_no) as row_no from incoming group by subscription_id) as f
  on f.subscription_id = c.subscription_id and f.row_no < c.row_no
join incoming as d on d.row_no = f.row_no and (d.text <> c.text or d.form_no <> c.form_no)
union all
select c.row_no, c.subscription_id, 'id-taken' as code,
  case
    when v.text <> c.text then 'the id is subscribed already with another text: unsubscribe it first'
    when v.namespaces <> f.namespaces then 'the id is subscribed already with other namespaces: unsubscribe it first'
    when v.dialect <> f.dialect then 'the id is subscribed already with another dialect: unsubscribe it first'
    when v.stream <> f.stream then 'the id is subscribed already with another stream: unsubscribe it first'
    when coalesce(s.max_delay, '') <> f.max_delay then 'the id is subscribed already with another max_delay: unsubscribe it first'
    when coalesce(r.variables, '') <> f.variables then 'the id is subscribed already with other variables: unsubscribe it first'
    when coalesce(g.weights, '') <> f.weights then 'the id is subscribed already with other weights: unsubscribe it first'
    else 'the id is subscribed already with another partial: unsubscribe it first' end as reason,
  cast(null as bigint) as line, cast(null as bigint) as "column", cast(null as varchar) as caret
from incoming as c
join visible as v on v.subscription_id = c.subscription_id
join incoming_form as f on f.form_no = c.form_no
left join subscription_delay as s on s.subscription_id = v.subscription_id and s.call_no = v.call_no
left join subscription_variables as r on r.subscription_id = v.subscription_id and r.call_no = v.call_no
left join subscription_weights as g on g.subscription_id = v.subscription_id and g.call_no = v.call_no
left join subscription_whole as w on w.subscription_id = v.subscription_id and w.call_no = v.call_no
where v.text <> c.text or v.dialect <> f.dialect or v.namespaces <> f.namespaces or v.stream <> f.stream
  or coalesce(s.max_delay, '') <> f.max_delay or coalesce(r.variables, '') <> f.variables
  or coalesce(g.weights, '') <> f.weights or (w.call_no is not null) <> (f.partial = 'false')
