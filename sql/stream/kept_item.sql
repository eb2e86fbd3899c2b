-- One row: an item of a streaming job, without the items given, which a job need not be told again.
select i.job, i.item
from stream_item as i
anti join stream_item_given as g on g.job = i.job and g.item = i.item
