-- One row: a requested subscription, as the subscriber wrote it.
select v.subscription_id, v.kind, v.stream, v.dialect, v.namespaces, v.text
from visible as v
semi join asked as a on a.subscription_id = v.subscription_id
