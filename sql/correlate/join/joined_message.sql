-- One row: a message that shares a value with another.
select doc_left as docid from value_pair
union
select doc_right as docid from value_pair
union
select doc_left as docid from value_pair_above
union
select doc_right as docid from value_pair_above
