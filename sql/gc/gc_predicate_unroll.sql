-- One row: a query with its slots; sorted, so that a key is found without reading everything.
select * from unrolled order by lookup_key
