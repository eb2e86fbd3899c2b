-- One row: a message that the batch reaches over values in common.
select doc_left as docid from value_pair
union
select doc_right as docid from value_pair
