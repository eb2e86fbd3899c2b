-- One row: a branch of a condition on a node.
select q.query_id, c.want, l.linear_path, l.brinfo, q.op, q.value, q.number, q.first_only, q.context, q.bit,
  q.inner_points, q.inner_wants
from query_branch as q
join condition_query as c on c.query_id = q.query_id
join linear_path_brinfo as l on l.brinfo_id = q.brinfo_id
where c.want is not null
