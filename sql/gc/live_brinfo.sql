-- One row: an annotated linear path that a live query, transformation or correlation uses.
select distinct brinfo_id
from live_path_use
where brinfo_id is not null
