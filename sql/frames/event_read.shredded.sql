-- One row: a well-formed message of a batch whose message ids are different.
select event_id, message_id from shredded where row_kind = 'event'
