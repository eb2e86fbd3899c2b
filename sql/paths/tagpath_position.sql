-- One row: a way in which a tag path of the batch is bound to the branching points of a linear path.
-- Where there is one way its array is a plain column; where there are several, as elements contain their like, they are
-- unnested (Wei 2006).
select i.tagpath_id, i.brinfo_id, list_extract(i.bp_position, 1) as positions
from tagpath_brinfo as i
semi join batch_tagpath as b on b.tagpath_id = i.tagpath_id
where array_length(i.bp_position) = 1
union all
select i.tagpath_id, i.brinfo_id, unnest(i.bp_position) as positions
from (select * from tagpath_brinfo where array_length(bp_position) > 1) as i
semi join batch_tagpath as b on b.tagpath_id = i.tagpath_id
