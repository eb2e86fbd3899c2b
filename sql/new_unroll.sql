-- One row: a query with its slots that is not stored yet.
select n.*
from unrolled as n
anti join predicate_unroll as s on s.sub_id = n.sub_id
