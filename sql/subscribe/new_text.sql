-- One row: a predicate that a key of its query does not settle, of a query that is not stored yet.
select n.*
from arranged_text as n
anti join query_text as s on s.query_id = n.query_id
