-- One row: the number of rows that say which values templates read.
select count(*) as amount from template_value
