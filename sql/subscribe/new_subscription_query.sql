-- One row: a new subscription and one of its queries; stream is null for a query that is only a condition.
select n.call_no, c.subscription_id, case when p.row_no is null then f.stream end as stream, q.query_id
from compiled_query as q
join compiled_new as c on c.row_no = q.row_no
left join compiled_part as p on p.row_no = q.row_no and p.query_id = q.query_id
join incoming_form as f on f.form_no = c.form_no
cross join call_form as n
order by q.query_id
