-- One row: a query with its slots that is not stored yet; sorted, so that a key is found without reading everything.
select n.*
from unrolled as n
anti join predicate_unroll as s on s.query_id = n.query_id
order by n.lookup_key
