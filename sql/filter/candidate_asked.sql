-- One row: a candidate that is not a condition of transformations on a node: such conditions are searched for.
select t.event_id, t.query_id
from candidate as t
anti join (select query_id from condition_query where want is not null) as c on c.query_id = t.query_id
