-- One row: a message of the frame, with its number and time.
select event_id, message_id, xml, time, said from given
