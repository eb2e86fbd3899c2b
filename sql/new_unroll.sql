-- One row: a query with its slots that is not stored yet; sorted, so that a key is found without reading everything.
select n.*
from unrolled as n
order by n.access
