-- No row: buckets are computed again.
select * from predicate_bucket where false
