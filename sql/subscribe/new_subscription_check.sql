-- One row: a new subscription that lxml decides, and its check.
select n.call_no, c.subscription_id, k.check_id, k.way
from compiled_check as k
join compiled_new as c on c.row_no = k.row_no
cross join call_form as n
