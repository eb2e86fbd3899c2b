-- One row: how many messages are gone, and how many are kept.
select (select count(*) from rdoc_gone) as gone, (select count(*) from rdoc_ts) as kept
