-- One row: a way in which a tag path of the batch is bound to the branching points of a linear path.
select i.tagpath_id, i.brinfo_id, unnest(i.bp_position) as positions
from tagpath_brinfo as i
semi join batch_tagpath as b on b.tagpath_id = i.tagpath_id
