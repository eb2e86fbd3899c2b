-- One row: the number of messages that were sampled.
select coalesce(sum(seen), 0) as messages from value_sample where tagpath_id = 0
