-- One row: a rejected message of the frame, including those rejected for their time.
select message_id, code, reason, line, "column" from rejected
union all
select message_id, code, reason, line, "column" from untimely
