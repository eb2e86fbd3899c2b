-- One row: a constant that many queries of this call compare a linear path with; assumed to be common in messages.
select p.linear_path_id as linear_path_id, p.value as value, p.number as number, count(*) as uses
from new_query as q
cross join unnest(q.predicates) as u(p)
where p.op = '='
group by p.linear_path_id, p.value, p.number
having count(*) >= 10
