-- One row: a node of a message, bound to a linear path whose text some query tests.
select r.event_id, m.linear_path_id, r.value, r.number
from sax_parse_result as r
join path_match as m on m.tagpath_id = r.tagpath_id
semi join query_predicate as p on p.linear_path_id = m.linear_path_id and p.stage = 3
