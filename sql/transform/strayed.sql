-- One row: how many tag paths of the batch do not conform to the schema.
select count(*) as strayed
from batch_tagpath as b
semi join stray as s on s.tagpath_id = b.tagpath_id
