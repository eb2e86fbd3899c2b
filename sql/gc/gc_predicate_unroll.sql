-- One row: a query with its slots; sorted by lookup key, so that a lookup reads only a part of the table.
select * from unrolled order by lookup_key
