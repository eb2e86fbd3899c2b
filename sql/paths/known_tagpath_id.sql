-- One row: a tag path of the store, with its id.
select tagpath_id, tagpath from tagpath_map
