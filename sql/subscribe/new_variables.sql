-- One row: a new subscription with variables, and their values.
select n.call_no, c.subscription_id, f.variables
from compiled_new as c
join incoming_form as f on f.form_no = c.form_no
cross join call_form as n
where f.variables <> ''
