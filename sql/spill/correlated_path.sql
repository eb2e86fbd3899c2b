-- One row: a linear path that visible correlations need, and how subscriptions use its nodes.
select p.linear_path, bit_or(u.node_use) as node_use
from (
  select e.linear_path_id, e.correlation_id from join_edge as e
  union
  select c.linear_path_id, c.correlation_id from join_copy as c
  union
  select t.linear_path_id, r.correlation_id
  from join_result as r
  join join_part as t on t.template_id = r.template_id
  union
  select b.linear_path_id, e.correlation_id
  from join_edge as e
  join variable_condition as v on v.var = e.var2
  join query_branch as b on b.query_id = v.query_id
) as c
join subscription_correlation as s on s.correlation_id = c.correlation_id
semi join visible as i on i.subscription_id = s.subscription_id and i.call_no = s.call_no
join query_linear_path as p on p.id = c.linear_path_id
join linear_path_use as u on u.linear_path_id = c.linear_path_id
group by p.linear_path
