-- One row: a path along which tuples may repeat, with its base, and a tag path of the batch that it matches.
select distinct r.linear_path_id, r.base, t.tagpath
from block_repeat as r
join path_match as m on m.linear_path_id = r.linear_path_id
semi join batch_tagpath as b on b.tagpath_id = m.tagpath_id
join tagpath_map as t on t.tagpath_id = m.tagpath_id
