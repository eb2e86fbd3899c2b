-- One row: a kept message that a message of the batch may replace, as it has its id.
select d.docid
from rdoc_ts as d
join event as e on e.message_id = d.message_id
join batch as b on b.stream = d.stream and b.replaces
