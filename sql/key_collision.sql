-- One row: two different predicates with the same key. Keys are 63-bit hashes: this should never have a row.
select 'predicate' as what, concat(n.op, ' ', coalesce(n.value, cast(n.number as varchar))) as text,
  concat(s.op, ' ', coalesce(s.value, cast(s.number as varchar))) as other
from arranged_key as n
join predicate_key as s on s.key = n.key
where s.linear_path_id <> n.linear_path_id or s.op <> n.op or s.value is distinct from n.value
  or s.number is distinct from n.number
union all
select 'predicate' as what, min(n.op) as text, max(n.op) as other
from (select distinct key, linear_path_id, op, value, number from arranged_key) as n
group by n.key
having count(*) > 1
