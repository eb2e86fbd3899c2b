-- One row: a rejected message of the frame, those whose times are wrong among them.
select message_id, code, reason, line, "column" from rejected
union all
select message_id, code, reason, line, "column" from untimely
