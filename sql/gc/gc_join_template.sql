-- One row: a join template of a live correlation.
select t.*
from join_template as t
semi join (
  select q.template_id from join_member as q semi join live_correlation as l on l.correlation_id = q.correlation_id
) as q on q.template_id = t.template_id
