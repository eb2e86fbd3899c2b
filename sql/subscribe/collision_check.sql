-- One row: two different checks with the same id, in the store or in this call.
select 'check' as what, n.expression as text, s.expression as other
from compiled_check as n
join query_check as s on s.check_id = n.check_id
where s.expression <> n.expression or s.namespaces <> n.namespaces
union all
select 'check' as what, min(expression) as text, max(expression) as other
from compiled_check
group by check_id
having min(expression) <> max(expression) or min(namespaces) <> max(namespaces)
