-- One row: a message and a key that holds in it, as found while the message was shredded.
select event_id, key, max_value from shredded where row_kind = 'held'
