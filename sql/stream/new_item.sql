-- One row: an item of a source that the batch has published.
select job, item
from stream_item_given
