-- One row: a dropped message.
select distinct docid from gone_message
