-- No row: buckets are made anew.
select * from predicate_bucket where false
