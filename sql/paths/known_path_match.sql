-- One row: a tag path and a linear path that it matches.
select tagpath_id, linear_path_id from path_match
