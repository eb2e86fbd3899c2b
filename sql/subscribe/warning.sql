-- One row: a warning about a subscription in this call; a null warning comes with the number of further warnings.
select subscription_id, warning, count
from compiled_warning
order by row_no, warning is null, warning
