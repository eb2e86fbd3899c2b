-- One row: a branch at a branching point of a query in which the first node of some branch depends on conditions.
select b.query_id, b.context as point, b.bit, p.linear_path, p.brinfo
from query_branch as b
semi join (
  select query_id from query_branch where first_only and array_length(inner_points) > 0
) as f on f.query_id = b.query_id
join linear_path_brinfo as p on p.brinfo_id = b.brinfo_id
where b.context > 0
