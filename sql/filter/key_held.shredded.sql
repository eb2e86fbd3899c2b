-- One row: a key holds in a message, as found when it was shredded.
select event_id, key, max_value from shredded where row_kind = 'held'
