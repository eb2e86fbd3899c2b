-- One row: the number of tag paths in the batch that do not conform to the schema.
select count(*) as strayed
from batch_tagpath as b
semi join stray as s on s.tagpath_id = b.tagpath_id
