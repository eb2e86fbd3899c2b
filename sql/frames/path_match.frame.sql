-- One row: a tag path matches a linear path, by the store or by what this frame found.
select tagpath_id, linear_path_id from path_match
union
select tagpath_id, linear_path_id from path_matched where brinfo_id is null
