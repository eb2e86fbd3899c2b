-- One row: a condition on a step, the number of nodes that the step bound, and at how many of them it fails.
select c.step, c.query_id, c.looks_at, c.negated, count(*) as bound,
  sum(case when (f.node is null) <> c.negated then 1 else 0 end) as failed
from bind_bound as b
join transformation_condition as c on c.transformation_id = b.transformation_id and c.step = b.step
left join fact as f on f.event_id = b.event_id and f.query_id = c.query_id
  and f.node = case c.looks_at when 0 then b.node when -1 then 0 else list_extract(b.nodes, c.looks_at) end
group by c.step, c.query_id, c.looks_at, c.negated
