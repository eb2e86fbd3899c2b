-- One row: a message and a tag path in it, with the greatest number there and the greatest negated number.
select event_id, tagpath_id, max(number) as highest, max(-number) as lowest
from sax_parse_result
group by event_id, tagpath_id
