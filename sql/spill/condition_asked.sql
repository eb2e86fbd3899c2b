-- One row: a condition of a transformation that makes an output in this batch.
select distinct c.query_id
from transformation_condition as c
semi join transformed as x on x.transformation_id = c.transformation_id
