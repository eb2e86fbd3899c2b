-- One row: a tag path, from the store or found in this frame.
select tagpath, tagpath_id from tagpath_map
union
select tagpath, tagpath_id from tagpath_found
