-- One row: a variable of a live correlation.
select e.var1 as var from join_edge as e semi join live_correlation as l on l.correlation_id = e.correlation_id
union
select e.var2 as var from join_edge as e semi join live_correlation as l on l.correlation_id = e.correlation_id
