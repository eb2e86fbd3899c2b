-- One row: a new subscription that states the longest delay it accepts.
select n.call_no, c.subscription_id, f.max_delay
from compiled_new as c
join incoming_form as f on f.form_no = c.form_no
cross join call_form as n
where f.max_delay <> ''
