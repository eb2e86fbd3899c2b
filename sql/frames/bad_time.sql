-- One row: a message of the frame whose time is invalid.
select message_id, said
from given
where (time is null and said is not null) or isnan(time) or abs(time) > 1e308
limit 1
