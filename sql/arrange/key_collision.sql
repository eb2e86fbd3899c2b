-- One row: two different predicates with the same key. Keys are 63-bit hashes, so this should never have a row.
select 'predicate' as what, concat(n.op, ' ', coalesce(n.value, cast(n.number as varchar))) as text,
  concat(s.op, ' ', coalesce(s.value, cast(s.number as varchar))) as other
from arranged_key as n
join predicate_key as s on s.key = n.key
where s.linear_path_id <> n.linear_path_id or s.op <> n.op or s.value is distinct from n.value
  or s.number is distinct from n.number
union all
select 'predicate' as what, min(n.op) as text, max(n.op) as other
from (
  select distinct key, linear_path_id, op, value, number from arranged_key
  union all
  select distinct key, first_key as linear_path_id, 'pair' as op, cast(second_key as varchar) as value,
    cast(null as double) as number
  from arranged_pair
) as n
group by n.key
having count(*) > 1
union all
select 'predicate' as what, n.op as text, 'pair' as other
from arranged_key as n
join predicate_pair as s on s.key = n.key
union all
select 'predicate' as what, 'pair' as text, s.op as other
from arranged_pair as n
join predicate_key as s on s.key = n.key
union all
select 'predicate' as what, 'pair' as text, 'pair' as other
from arranged_pair as n
join predicate_pair as s on s.key = n.key
where s.first_key <> n.first_key or s.second_key <> n.second_key
