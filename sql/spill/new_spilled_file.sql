-- One row: a new file of spilled messages.
select file, first_unit, units, bytes, stream, paths, call_no, time from spilled_batch
