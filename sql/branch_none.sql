-- No row: no stored query has branches that must meet.
select event_id, sub_id from candidate where false
