-- One row: a new subscription whose subscriber wants its outputs whole.
select n.call_no, c.subscription_id
from compiled_new as c
join incoming_form as f on f.form_no = c.form_no
cross join call_form as n
where f.partial = 'false'
