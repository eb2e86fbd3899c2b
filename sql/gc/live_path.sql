-- One row: a linear path that a live query, transformation or correlation uses.
select distinct linear_path_id
from live_path_use
where linear_path_id is not null
