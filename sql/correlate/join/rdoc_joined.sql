-- One row: a message that has a value in common with another.
select doc_left as docid from rvj
union
select doc_right as docid from rvj
union
select doc_left as docid from rvj_up
union
select doc_right as docid from rvj_up
