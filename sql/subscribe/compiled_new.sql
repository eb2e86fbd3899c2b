-- One row: a subscription of this call that has to be stored: of rows with the same id the first, if not yet visible.
select c.row_no, c.subscription_id, c.text, c.form_no,
  case when t.row_no is not null then 'transformation' when j.row_no is not null then 'correlation' else 'filter' end as kind
from incoming as c
semi join (select subscription_id, min(row_no) as row_no from incoming group by subscription_id) as f
  on f.row_no = c.row_no
left join compiled_transformation as t on t.row_no = c.row_no
left join compiled_correlation as j on j.row_no = c.row_no
anti join visible as v on v.subscription_id = c.subscription_id
