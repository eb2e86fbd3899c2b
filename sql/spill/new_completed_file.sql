-- One row: a file of spilled messages that is now complete.
select file from completing_file
