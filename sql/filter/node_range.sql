-- One row: a tag path that stands in a message, with the greatest of its numbers, and of its numbers turned round.
select event_id, tagpath_id, max(number) as highest, max(-number) as lowest
from sax_parse_result
group by event_id, tagpath_id
