-- One row: a message that shares a value with the batch, directly or through other messages.
select doc_left as docid from value_pair
union
select doc_right as docid from value_pair
