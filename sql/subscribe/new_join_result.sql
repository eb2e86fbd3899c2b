-- One row: the nodes, the template and the target stream of a new correlation's output.
select c.correlation_id, c.mentioned, c.blocks, c.template_id, c.publish
from compiled_correlation as c
semi join new_correlation_id as n on n.correlation_id = c.correlation_id and n.row_no = c.row_no
anti join join_result as s on s.correlation_id = c.correlation_id
