-- One row: the time of a message of the frame.
select event_id, time from given
