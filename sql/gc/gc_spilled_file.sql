-- One row: a file of spilled messages that has not been completed, or the last one, whose numbers are not given again.
select f.file, f.first_unit, f.units, f.bytes, f.stream, f.paths, f.call_no, f.time
from spilled_file as f
left join completed_file as c on c.file = f.file
where c.file is null or f.first_unit = (select max(first_unit) from spilled_file)
