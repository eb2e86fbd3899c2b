-- One row: a subscription in this call, and the lookup key of its query.
select u.lookup_key, q.query_id, n.call_no, c.subscription_id, f.stream
from compiled_query as q
join compiled_new as c on c.row_no = q.row_no
join predicate_unroll as u on u.query_id = q.query_id
anti join compiled_part as p on p.row_no = q.row_no and p.query_id = q.query_id
join incoming_form as f on f.form_no = c.form_no
cross join call_form as n
order by u.lookup_key
