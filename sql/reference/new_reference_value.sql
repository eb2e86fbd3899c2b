-- One row: a value of the reference table that this call gives.
select f.call_no, v.column_name, v.key, v.value
from reference_given as v
cross join call_form as f
