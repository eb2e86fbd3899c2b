-- One row: a join template, and how many pairs of variables each of its correlations compares at least.
select t.template_id, min(t.definition) as definition, coalesce(min(p.pairs), 0) as fewest_pairs
from join_template as t
join join_member as m on m.template_id = t.template_id
left join (
  select cid, count(*) as pairs
  from (select distinct cid, var_left, var_right from join_pair where op = '=') as d
  group by cid
) as p on p.cid = m.cid
group by t.template_id
order by t.template_id
