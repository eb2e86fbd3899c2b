-- One row: a new query with its slots; sorted by lookup key, so that a lookup reads only a part of the table.
select n.*
from unrolled as n
anti join predicate_unroll as s on s.query_id = n.query_id
order by n.lookup_key
