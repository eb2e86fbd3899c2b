-- One row: a linear path and its class; linear paths that match the same tag paths are in one class.
select p.linear_path_id, min(p.linear_path_id) over (partition by p.tagpaths) as class_id
from (
  select linear_path_id, list_sort(list(distinct tagpath_id)) as tagpaths
  from path_match
  group by linear_path_id
) as p
