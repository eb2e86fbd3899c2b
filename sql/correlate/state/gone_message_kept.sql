-- One row: a message to drop.
select docid from expired_message
