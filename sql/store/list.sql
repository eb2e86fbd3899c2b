-- One row: a visible subscription, as it was given.
select subscription_id, kind, stream, dialect, namespaces, text
from visible
order by subscription_id
