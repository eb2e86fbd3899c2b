-- One row: a new subscription in this call: its id is not visible in the store, and no earlier row has it.
select c.row_no, c.subscription_id, c.text, c.form_no,
  case when t.row_no is not null or k.expression like 'xquery version%' then 'transformation'
    when j.row_no is not null then 'correlation' else 'filter' end as kind
from incoming as c
semi join (select subscription_id, min(row_no) as row_no from incoming group by subscription_id) as f
  on f.row_no = c.row_no
left join compiled_transformation as t on t.row_no = c.row_no
left join compiled_correlation as j on j.row_no = c.row_no
left join compiled_check as k on k.row_no = c.row_no
anti join visible as v on v.subscription_id = c.subscription_id
