-- One row: the batch that a streaming job commits.
select job, batch_no, revision, position, figures
from stream_batch_given
