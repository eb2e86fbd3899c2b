-- One row: a value of the batch that is compared.
select distinct value from rdoc_w
