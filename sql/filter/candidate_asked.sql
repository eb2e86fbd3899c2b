-- One row: a candidate that is not a condition on a node: the tree search decides those conditions.
select t.event_id, t.query_id
from candidate as t
anti join (select query_id from condition_query where want is not null) as c on c.query_id = t.query_id
