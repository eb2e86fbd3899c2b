-- One row: a new subscription, as the subscriber wrote it.
select n.call_no, c.subscription_id, c.kind, c.text, f.dialect, f.namespaces, f.stream
from compiled_new as c
join incoming_form as f on f.form_no = c.form_no
cross join call_form as n
