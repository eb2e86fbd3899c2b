-- One row: how many messages the samples were taken from.
select coalesce(sum(seen), 0) as messages from value_sample where tagpath_id = 0
