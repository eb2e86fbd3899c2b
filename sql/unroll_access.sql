-- One row: a message in which the first, most selective predicate of a query holds; with the rest of its slots.
with pair as (
  select t.event_id, u.sub_id
  from path_tuple as t
  join predicate_unroll as u on u.path1 = t.linear_path_id and u.value1 = t.value
  where u.op1 = '='
  union
  select t.event_id, u.sub_id
  from path_tuple as t
  join predicate_unroll as u on u.path1 = t.linear_path_id and u.number1 = t.number
  where u.op1 = '='
  union
  select t.event_id, u.sub_id
  from path_tuple as t
  join predicate_unroll as u on u.path1 = t.linear_path_id
  where u.op1 <> '=' and passes(t.value, t.number, u.op1, u.value1, u.number1)
)
select pair.event_id, u.*
from pair
join predicate_unroll as u on u.sub_id = pair.sub_id
