-- One row: a count of the state kept for correlations, by name.
select 'correlations' as name, count(*) as amount from correlation_wanted
union all
select 'correlations with a window of INF' as name, count(*) as amount
from join_member as m
semi join correlation_wanted as c on c.correlation_id = m.correlation_id
where m.reach > 1e308
union all
select 'messages kept' as name, count(*) as amount from kept_message
union all
select 'messages kept for windows of INF alone' as name, count(*) as amount
from kept_message as d
join stream_least as n on n.stream = d.stream
where d.time < n.clock - $horizon
union all
select 'edges kept' as name, count(*) as amount from rbin as b semi join kept_message as l on l.docid = b.docid
union all
select 'values kept' as name, count(*) as amount from rdoc as d semi join kept_message as l on l.docid = d.docid
union all
select 'characters kept for output' as name, coalesce(sum(length(c.text)), 0) as amount
from rcopy as c
semi join kept_message as l on l.docid = c.docid
