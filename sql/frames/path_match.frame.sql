-- One row: a tag path and a linear path that it matches, from the store or found in this frame.
select tagpath_id, linear_path_id from path_match
union
select tagpath_id, linear_path_id from path_matched where brinfo_id is null
