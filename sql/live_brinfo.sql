-- One row: an annotated linear path that a live query uses.
select distinct b.brinfo_id
from query_branch as b
semi join live_query as l on l.sub_id = b.sub_id
