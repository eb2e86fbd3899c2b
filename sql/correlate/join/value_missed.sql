-- One row: a value of the batch that has no slice.
select distinct w.value
from rdoc_w as w
anti join slice_row as s on s.value = w.value
