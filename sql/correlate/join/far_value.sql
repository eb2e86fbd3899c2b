-- One row: a node of a kept message, bound to a variable that a correlation of more than two blocks compares.
select distinct b.docid, b.var2, b.node2, d.value
from rbin as b
semi join (select var_left as var from pair_far union select var_right as var from pair_far) as p on p.var = b.var2
semi join kept_message as l on l.docid = b.docid
join rdoc as d on d.docid = b.docid and d.node = b.node2
