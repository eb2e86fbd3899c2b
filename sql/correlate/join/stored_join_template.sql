-- One row: a join template, and the least number of variable pairs that its correlations compare for equality.
select t.template_id, min(t.definition) as definition, coalesce(min(p.pairs), 0) as fewest_pairs
from join_template as t
join join_member as m on m.template_id = t.template_id
left join (
  select correlation_id, count(*) as pairs
  from (select distinct correlation_id, var_left, var_right from join_pair where op = '=') as d
  group by correlation_id
) as p on p.correlation_id = m.correlation_id
group by t.template_id
order by t.template_id
