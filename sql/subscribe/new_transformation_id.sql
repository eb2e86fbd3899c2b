-- One row: the id of a transformation that is not stored yet, and the first row of the call that contains it.
select c.transformation_id, min(c.row_no) as row_no
from compiled_transformation as c
anti join transformation as s on s.transformation_id = c.transformation_id
group by c.transformation_id
