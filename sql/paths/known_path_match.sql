-- One row: a tag path matches a linear path.
select tagpath_id, linear_path_id from path_match
