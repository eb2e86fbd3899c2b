-- One row: the messages from which an output is made.
select distinct docs from correlation_output order by docs
