-- One row: an annotated linear path that a live query or transformation uses.
select b.brinfo_id
from query_branch as b
semi join live_query as l on l.sub_id = b.sub_id
union
select s.brinfo_id
from transformation_step as s
semi join live_transformation as l on l.tid = s.tid
union
select r.brinfo_id
from template_return as r
semi join live_template as l on l.template_id = r.template_id
