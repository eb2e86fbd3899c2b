-- One row: a value in the batch that some correlation compares.
select distinct value from rdoc_w
