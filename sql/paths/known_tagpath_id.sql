-- One row: a tag path in the store, with its id.
select tagpath_id, tagpath from tagpath_map
