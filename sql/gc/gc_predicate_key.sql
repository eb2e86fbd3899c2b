-- One row: what a key stands for.
select distinct * from arranged_key
