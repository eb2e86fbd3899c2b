-- One row: a file of spilled messages that has not been completed.
select f.file, f.first_unit, f.units, f.bytes, f.stream, f.paths, f.call_no, f.time
from spilled_file as f
anti join completed_file as c on c.file = f.file
