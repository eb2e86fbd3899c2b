-- One row: a visible subscription asked for, as it was given.
select v.subscription_id, v.kind, v.stream, v.dialect, v.namespaces, v.text
from visible as v
semi join asked as a on a.subscription_id = v.subscription_id
