-- One row: a subscription of this call that has to be stored: of rows with the same id the first, if not yet visible.
select c.*
from compiled as c
semi join (select subscription_id, min(row_no) as row_no from compiled group by subscription_id) as f
  on f.subscription_id = c.subscription_id and f.row_no = c.row_no
anti join visible as v on v.subscription_id = c.subscription_id
