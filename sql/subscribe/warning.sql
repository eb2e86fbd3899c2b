-- One row: a warning about a subscription of this call, in the order of rows; without a text, how many more there are.
select subscription_id, warning, count
from compiled_warning
order by row_no, warning is null, warning
