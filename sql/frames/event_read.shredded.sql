-- One row: a well-formed message of a batch in which every message id is unique.
select event_id, message_id from shredded where row_kind = 'event'
