-- One row: an item that a streaming job has published.
select i.item
from stream_item as i
semi join stream_job as j on j.job = i.job
