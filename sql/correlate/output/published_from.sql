-- One row: a message from which a published output was made.
select t.docid, t.message_id
from message_time as t
semi join (select unnest(docs) as docid from correlation_output where publish is not null) as o on o.docid = t.docid
