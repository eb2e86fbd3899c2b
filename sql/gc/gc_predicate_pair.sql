-- One row: a pair key; it holds where its two keys hold.
select distinct * from arranged_pair
