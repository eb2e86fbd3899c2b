-- One row: a subscription of this call, as it was given.
select f.call_no, c.subscription_id, c.kind, c.text, f.dialect, f.namespaces, f.stream
from compiled_new as c
cross join call_form as f
