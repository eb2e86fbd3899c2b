-- One row: a new subscription and its transformation.
select n.call_no, c.subscription_id, f.stream, t.transformation_id
from compiled_transformation as t
join compiled_new as c on c.row_no = t.row_no
join incoming_form as f on f.form_no = c.form_no
cross join call_form as n
order by t.transformation_id
