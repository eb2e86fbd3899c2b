-- One row: as in rl, but read from the slice of a value that has one (algorithm 4).
select s.docid, s.var1, s.var2, s.node1, s.node2, s.value
from slice_row as s
semi join kept_message as l on l.docid = s.docid
union all
select b.docid, b.var1, b.var2, b.node1, b.node2, s.value
from shared_value as s
join rbin as b on b.docid = s.docid and b.node2 = s.node
