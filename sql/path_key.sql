-- One row: a value of a message at a linear path, once as a text and once as a number, to be looked up by equality.
select event_id, linear_path_id, value, cast(null as double) as number
from path_tuple
where value is not null
union
select event_id, linear_path_id, cast(null as varchar) as value, number
from path_tuple
where number is not null
