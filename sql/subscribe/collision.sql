-- One row: two different texts with the same id, in the store or in this call.
-- Ids are 63-bit hashes, so this should never have a row.
select 'linear path' as what, n.linear_path as text, s.linear_path as other
from call_linear_path as n
join query_linear_path as s on s.id = n.id
where s.linear_path <> n.linear_path
union all
select 'annotated linear path' as what, n.brinfo as text, s.brinfo as other
from call_brinfo as n
join linear_path_brinfo as s on s.brinfo_id = n.brinfo_id
where s.brinfo <> n.brinfo or s.linear_path <> n.linear_path
union all
select 'query' as what, n.query as text, s.query as other
from compiled_query as n
join stored_query as s on s.query_id = n.query_id
where s.query <> n.query
union all
select 'linear path' as what, min(linear_path) as text, max(linear_path) as other
from call_linear_path
group by id
having min(linear_path) <> max(linear_path)
union all
select 'annotated linear path' as what, min(brinfo) as text, max(brinfo) as other
from call_brinfo
group by brinfo_id
having min(brinfo) <> max(brinfo) or min(linear_path) <> max(linear_path)
union all
select 'query' as what, n.query as text, q.query as other
from compiled_query as n
join new_query as q on q.query_id = n.query_id and q.row_no <> n.row_no
where q.query <> n.query
