-- One row: a new subscription and its correlation.
select f.call_no, c.subscription_id, t.correlation_id
from compiled_correlation as t
join compiled_new as c on c.row_no = t.row_no
cross join call_form as f
