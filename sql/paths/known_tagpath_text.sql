-- One row: the text of a tag path of the store.
select distinct tagpath from tagpath_map
