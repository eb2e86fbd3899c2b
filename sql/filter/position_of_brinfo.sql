-- One row: a tag path, an annotated linear path, and the positions of its branching points, one way of binding them.
select brinfo_id, tagpath_id, unnest(bp_position) as positions
from tagpath_brinfo
where brinfo_id in ($brinfos)
