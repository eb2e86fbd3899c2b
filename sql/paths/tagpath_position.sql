-- One row: the positions of a linear path's branching points in a tag path of the batch.
-- Most pairs have one position array, read as a plain column. Recursive elements give several, which are unnested (Wei
-- 2006).
select i.tagpath_id, i.brinfo_id, list_extract(i.bp_position, 1) as positions
from tagpath_brinfo as i
semi join batch_tagpath as b on b.tagpath_id = i.tagpath_id
where array_length(i.bp_position) = 1
union all
select i.tagpath_id, i.brinfo_id, unnest(i.bp_position) as positions
from (select * from tagpath_brinfo where array_length(bp_position) > 1) as i
semi join batch_tagpath as b on b.tagpath_id = i.tagpath_id
