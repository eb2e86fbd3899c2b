-- One row: a visible subscription that this call removes.
select distinct f.call_no, v.subscription_id, v.kind
from visible as v
cross join call_form as f
