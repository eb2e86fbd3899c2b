-- One row: a kept message that does not count any more, between batches.
select distinct docid from gone_message
