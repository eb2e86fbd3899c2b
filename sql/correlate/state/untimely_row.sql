-- One row: a message rejected for its time, with the reason.
select event_id, message_id, code, reason, line, "column" from untimely
