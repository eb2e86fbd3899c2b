-- One row: a path whose nodes templates copy.
select distinct r.brinfo_id, b.linear_path, b.brinfo
from template_return as r
join linear_path_brinfo as b on b.brinfo_id = r.brinfo_id
