-- One row: an edge of the patterns, and how many witnesses are kept for it.
select e.stream, p.linear_path, e.var1, e.var2, count(b.docid) as witnesses
from join_edge as e
join query_linear_path as p on p.id = e.linear_path_id
left join rbin as b on b.var1 = e.var1 and b.var2 = e.var2
group by e.stream, p.linear_path, e.var1, e.var2
order by e.stream, p.linear_path, e.var1, e.var2
