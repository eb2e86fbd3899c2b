-- One row: a bound node at which a condition of its step fails (a negated condition fails where it holds).
select distinct b.event_id, b.transformation_id, b.step, b.nodes, b.node
from bind_bound as b
join transformation_condition as c on c.transformation_id = b.transformation_id and c.step = b.step
left join fact as f on f.event_id = b.event_id and f.query_id = c.query_id
  and f.node = case c.looks_at when 0 then b.node when -1 then 0 else list_extract(b.nodes, c.looks_at) end
where (f.node is null) <> c.negated
