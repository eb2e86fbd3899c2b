-- One row: a template of a live transformation.
select distinct t.template_id
from transformation_template as t
semi join live_transformation as l on l.tid = t.tid
