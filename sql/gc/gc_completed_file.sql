-- One row: a completed file that `spilled_file` still lists.
select c.file
from completed_file as c
join spilled_file as f on f.file = c.file
where f.first_unit = (select max(first_unit) from spilled_file)
