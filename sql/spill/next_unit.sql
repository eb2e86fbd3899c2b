-- One row: the number of the next spilled message.
select coalesce(max(first_unit + units), 1) as unit from spilled_file
