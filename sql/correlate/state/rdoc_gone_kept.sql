-- One row: a message that is not kept any longer.
select docid from rdoc_expired
