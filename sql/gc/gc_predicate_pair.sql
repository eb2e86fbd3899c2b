-- One row: a key that stands for two others.
select distinct * from arranged_pair
