-- One row: a value at a tag path, and how often it was seen; rare and long values are counted together as null.
-- Tag path 0 counts the messages themselves.
select p.tagpath_id, p.value, p.number, p.seen
from (
  select v.tagpath_id, v.value, v.number, v.seen,
    row_number() over (partition by v.tagpath_id order by v.seen desc, v.value) as place
  from value_seen as v
) as p
where p.place <= 1000
union all
select p.tagpath_id, cast(null as varchar) as value, cast(null as double) as number, sum(p.seen) as seen
from (
  select v.tagpath_id, v.seen,
    row_number() over (partition by v.tagpath_id order by v.seen desc, v.value) as place
  from value_seen as v
) as p
where p.place > 1000
group by p.tagpath_id
union all
select cast(0 as bigint) as tagpath_id, cast(null as varchar) as value, cast(null as double) as number, count(*) as seen
from event
