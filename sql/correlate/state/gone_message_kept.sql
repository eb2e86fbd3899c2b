-- One row: a message that is not kept any longer.
select docid from expired_message
