-- One row: a visible subscription with a requested id.
select s.call_no, s.subscription_id, s.kind, s.text, s.dialect, s.namespaces, s.stream
from subscription as s
semi join asked as a on a.subscription_id = s.subscription_id
semi join completed_call as c on c.call_no = s.call_no
anti join gone as g on g.subscription_id = s.subscription_id and g.call_no > s.call_no
