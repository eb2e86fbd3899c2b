-- One row: a predicate of a new query that must be tested on text, because no key decides it.
select n.*
from arranged_text as n
anti join query_text as s on s.query_id = n.query_id
