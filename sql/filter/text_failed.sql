-- One row: a message and a candidate query with a predicate on text that fails in the message.
-- Predicates are expanded to tag paths, then tested on the message's nodes at those tag paths.
select r.event_id, r.query_id
from text_asked as r
anti join (
  select a.event_id, a.query_id, a.linear_path_id, a.op, a.value, a.number
  from text_asked as a
  join path_match as m on m.linear_path_id = a.linear_path_id
  join sax_parse_result as n on n.event_id = a.event_id and n.tagpath_id = m.tagpath_id
  where $passes
) as p
  on p.event_id = r.event_id and p.query_id = r.query_id and p.linear_path_id = r.linear_path_id and p.op = r.op
  and p.value is not distinct from r.value and p.number is not distinct from r.number
