-- One row: a visible subscription that this call removes.
select distinct f.call_no, l.subscription_id
from leaving as l
semi join visible as v on v.subscription_id = l.subscription_id
cross join call_form as f
