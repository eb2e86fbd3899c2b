-- One row: a message and a key that holds in it, however often its nodes repeat.
-- max_value is the greatest number found, for a range key; for other keys infinity, which is above every bound.
select distinct r.event_id, k.key, cast('Infinity' as double) as max_value
from sax_parse_result as r
join tagpath_key as k on k.tagpath_id = r.tagpath_id and k.value = r.value
where k.op = '='
union all
select distinct r.event_id, k.key, cast('Infinity' as double) as max_value
from sax_parse_result as r
join tagpath_key as k on k.tagpath_id = r.tagpath_id and k.number = r.number
where k.op = '='
union all
select n.event_id, n.key, max(n.max_value) as max_value
from (
  select r.event_id, k.key, k.number,
    case k.op when '>' then r.highest when '<' then r.lowest else cast('Infinity' as double) end as max_value
  from node_range as r
  join tagpath_key as k on k.tagpath_id = r.tagpath_id
  where k.op <> '='
) as n
where n.max_value is not null and (n.number is null or n.max_value > n.number)
group by n.event_id, n.key
union all
select event_id, cast(0 as bigint) as key, cast('Infinity' as double) as max_value from event
