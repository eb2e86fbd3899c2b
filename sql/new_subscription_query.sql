-- One row: a query that fulfils a subscription of this call.
select f.call_no, c.subscription_id, f.stream, q.sub_id
from compiled_query as q
join compiled_new as c on c.row_no = q.row_no
cross join call_form as f
order by q.sub_id
