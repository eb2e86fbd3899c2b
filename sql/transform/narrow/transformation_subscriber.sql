-- One row: a visible subscription of a transformation that may bind a node of this batch.
select s.transformation_id, s.subscription_id, s.stream
from subscription_transformation as s
semi join transformation_asked as a on a.transformation_id = s.transformation_id
semi join completed_call as c on c.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
