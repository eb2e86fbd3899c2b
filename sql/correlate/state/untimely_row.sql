-- One row: a message whose time is rejected, with the reason.
select event_id, message_id, code, reason, line, "column" from untimely
