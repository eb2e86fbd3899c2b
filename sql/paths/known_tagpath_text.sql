-- One row: the text of a tag path in the store.
select distinct tagpath from tagpath_map
