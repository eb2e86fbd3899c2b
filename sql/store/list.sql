-- One row: a visible subscription, as the subscriber wrote it.
select subscription_id, kind, stream, dialect, namespaces, text
from visible
order by subscription_id
