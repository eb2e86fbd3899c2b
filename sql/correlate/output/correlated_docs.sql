-- One row: messages of which a correlation makes an output.
select distinct docs from correlation_output order by docs
