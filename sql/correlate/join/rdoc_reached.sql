-- One row: a message that the batch reaches over values in common.
select doc_left as docid from rvj
union
select doc_right as docid from rvj
