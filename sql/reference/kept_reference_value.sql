-- One row: a value of a reference table in use.
select v.call_no, v.column_name, v.key, v.value
from reference_value as v
semi join visible_reference as r on r.call_no = v.call_no
