-- One row: a node of a message, bound to a linear path that its tag path matches.
-- Every plan reads messages through it: this is where the matching of paths is shared by all subscriptions.
select r.event_id, m.linear_path_id, r.value, r.number
from sax_parse_result as r
join path_match as m on m.tagpath_id = r.tagpath_id
