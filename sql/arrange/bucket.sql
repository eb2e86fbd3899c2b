-- One row: the lower limit of a bucket, stored or new.
select * from known_bucket
union all
select * from new_bucket
