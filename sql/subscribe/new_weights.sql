-- One row: a new subscription with weights, by the paths that it returns.
select n.call_no, c.subscription_id, f.weights
from compiled_new as c
join incoming_form as f on f.form_no = c.form_no
cross join call_form as n
where f.weights <> ''
